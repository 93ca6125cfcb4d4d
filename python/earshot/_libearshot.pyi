# The generated module (python/generate_ffi.py).
from typing import Any

ffi: Any
