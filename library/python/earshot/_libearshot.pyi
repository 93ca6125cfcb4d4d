# The generated module (library/python/generate_ffi.py).
from typing import Any

ffi: Any
