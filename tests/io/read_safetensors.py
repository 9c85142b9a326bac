"""Prints a safetensors file; fails if it violates the format's specification or if a checksum is wrong.

Standard library only.
"""
import json
import struct
import sys
import zlib


def unique(pairs):
    assert len({key for key, _ in pairs}) == len(pairs), "a name is given twice"
    return dict(pairs)


data = open(sys.argv[1], "rb").read()
(length,) = struct.unpack_from("<Q", data)
assert 8 + length <= len(data) and length % 8 == 0 and data[8:9] == b"{", length
header = json.loads(data[8:8 + length].decode("utf-8"), object_pairs_hook=unique)
meta = header.pop("__metadata__", {})
assert all(isinstance(text, str) for pair in meta.items() for text in pair)
digits = meta.pop("espalier.crc32.header")
blank = data[8:8 + length].replace(digits.encode(), b"00000000", 1)
assert digits == f"{zlib.crc32(blank):08x}", digits
digits = meta.pop("espalier.crc32.tensors")
at = 0
for info in sorted(header.values(), key=lambda info: info["data_offsets"]):
    begin, end = info["data_offsets"]
    numbers = 1
    for size in info["shape"]:
        numbers *= size
    assert info["dtype"] == "F32" and begin == at and end - begin == 4 * numbers, info
    at = end
    assert digits[:8] == f"{zlib.crc32(data[8 + length + begin:8 + length + end]):08x}", info
    digits = digits[8:]
assert 8 + length + at == len(data) and not digits

sys.stdout.reconfigure(encoding="utf-8")
for key, value in sorted(meta.items()):
    print(f"meta {key!r} {value!r}")
for name, info in sorted(header.items()):
    begin, end = (8 + length + offset for offset in info["data_offsets"])
    print(f"{name!r} {info['shape']}", " ".join(data[i:i + 4].hex() for i in range(begin, end, 4)))
