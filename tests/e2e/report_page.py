"""A second reader of a page of earshot report and of its columns (docs/report.md, section 3)."""
import base64
import html.parser
import json
import struct
import zlib

UNKNOWN = 2 ** 53 - 1
WIDTHS = {"u8": 1, "u16": 2, "u32": 4, "u64": 8, "f64": 8}


class Columns:
    """meta, strings, and tables: a list of dictionaries for each name."""

    def __init__(self, data):
        assert data[:8] == b"EARCOL1\n"
        size, = struct.unpack_from("<I", data, 8)
        header = json.loads(data[12:12 + size].decode())
        self.meta, self.strings, self.tables = header["meta"], header["strings"], {}
        at = 12 + size
        for table in header["tables"]:
            rows, columns = table["rows"], {}
            for column in table["columns"]:
                width = WIDTHS[column["type"]]
                planes = data[at:at + width * rows]
                assert len(planes) == width * rows
                at += width * rows
                numbers = [sum(planes[plane * rows + row] << 8 * plane for plane in range(width))
                           for row in range(rows)]
                if column["type"] == "f64":
                    numbers = [struct.unpack("<d", struct.pack("<Q", number))[0] for number in numbers]
                if column["coding"] == "delta":
                    before = 0
                    for row, number in enumerate(numbers):
                        before = numbers[row] = (before + number) % 2 ** (8 * width)
                columns[column["name"]] = numbers
            self.tables[table["name"]] = [dict(zip(columns, row)) for row in zip(*columns.values())]
        assert at == len(data), "bytes after the last column"

    def string(self, row, name):
        return self.strings[row[name]]


class Page(html.parser.HTMLParser):
    """elements: (tag, attributes, text) of what a browser sees; head; data: bytes of each section or None."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.elements, self.text, self.open = [], text, False
        self.feed(text)
        self.close()
        heads = [text for tag, attributes, text in self.elements if attributes.get("id") == "earshot-head"]
        assert len(heads) == 1
        self.head = json.loads(heads[0])
        chunks = {}
        for tag, attributes, text in self.elements:
            if "data-chunk" in attributes:
                of = chunks.setdefault(int(attributes["data-section"]), [])
                assert int(attributes["data-chunk"]) == len(of) and attributes["type"] == "application/octet-stream"
                of.append(text)
        self.data = []
        for number, section in enumerate(self.head["sections"]):
            found = chunks.pop(number, [])
            assert len(found) == section["chunks"]
            assert all(len(chunk) == 262144 for chunk in found[:-1]) and all(len(chunk) <= 262144 for chunk in found)
            data = zlib.decompress(base64.b64decode("".join(found), validate=True), -15) if found else None
            assert (data is None) == (section["kind"] == "none")
            if data is not None:
                assert len(data) == section["bytes"] and f"{zlib.crc32(data):08x}" == section["crc32"]
            self.data.append(data)
        assert not chunks

    def handle_starttag(self, tag, attrs):
        self.elements.append([tag, dict(attrs), ""])
        self.open = True

    def handle_endtag(self, tag):
        self.open = False

    def handle_data(self, data):
        if self.open:
            self.elements[-1][2] += data

    def sections(self):
        """(section, data) in order."""
        return list(zip(self.head["sections"], self.data))

    def section(self, name, trace=0):
        return next(pair for pair in self.sections() if pair[0]["name"] == name and pair[0]["trace"] == trace)

    def json(self, name, trace=0):
        return json.loads(self.section(name, trace)[1])

    def columns(self, name, trace=0):
        return Columns(self.section(name, trace)[1])
