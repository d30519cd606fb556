"""Encodings of texts that are read, by the names that publishers use, and byte order marks.

A name that a document or a server gives is looked up here and nowhere else. Python and libxml2 know
more names: of codecs that are no encodings (``hex``, ``undefined``), that take time with the square
of a text's length (``punycode``), or that write characters of markup in other ways (``utf-7``).
"""

from __future__ import annotations

import codecs
import re

# Each with its encoding. UTF-32 is known by its mark alone, and has no name below.
BYTE_ORDER_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),  # before UTF-16, whose mark it begins with
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)

_LONGEST = 40  # characters of a name


def shown_encoding(head: bytes) -> tuple[str, int]:
    """Return the encoding that a document's first bytes show, and how many of them are its mark.

    Without a mark, zero bytes show UTF-16: all formats begin with two ASCII characters. Otherwise
    it is UTF-8.
    """
    for mark, encoding in BYTE_ORDER_MARKS:
        if head.startswith(mark):
            return encoding, len(mark)
    if b"\0" in head[:2]:
        return ("utf-16-le" if head[1:2] == b"\0" else "utf-16-be"), 0
    return "utf-8", 0


# Python's codec: the labels of the WHATWG Encoding Standard, section 4.2
# (https://encoding.spec.whatwg.org/#names-and-labels), but those of "replacement" and
# "x-user-defined", and other names in exports of databases, spreadsheets and Java. A label means
# what it means to Python: ISO-8859-1 is not Windows-1252 here.
_LABELS = {
    "utf-8": "utf-8 utf cp65001 unicode-1-1-utf-8 unicode20utf8 x-unicode20utf8",
    "utf-8-sig": "utf-8-sig",
    "utf-16": "utf-16 csunicode iso-10646-ucs-2 ucs-2 unicode unicodefeff",
    "utf-16-be": "utf-16be unicodefffe",
    "utf-16-le": "utf-16le",
    "ascii": "ascii us-ascii ansi_x3.4-1968 iso-ir-6 iso646-us 646 us",
    "iso8859-1": "iso-8859-1 cp819 csisolatin1 ibm819 iso-ir-100 iso_8859-1:1987 l1 latin1 latin"
    " 8859-1",
    "iso8859-2": "iso-8859-2 csisolatin2 iso-ir-101 iso_8859-2:1987 l2 latin2",
    "iso8859-3": "iso-8859-3 csisolatin3 iso-ir-109 iso_8859-3:1988 l3 latin3",
    "iso8859-4": "iso-8859-4 csisolatin4 iso-ir-110 iso_8859-4:1988 l4 latin4",
    "iso8859-5": "iso-8859-5 csisolatincyrillic cyrillic iso-ir-144 iso_8859-5:1988",
    "iso8859-6": "iso-8859-6 arabic asmo-708 csiso88596e csiso88596i csisolatinarabic ecma-114"
    " iso-8859-6-e iso-8859-6-i iso-ir-127 iso_8859-6:1987",
    "iso8859-7": "iso-8859-7 csisolatingreek ecma-118 elot_928 greek greek8 iso-ir-126"
    " iso_8859-7:1987 sun_eu_greek",
    "iso8859-8": "iso-8859-8 csiso88598e csiso88598i csisolatinhebrew hebrew iso-8859-8-e"
    " iso-8859-8-i iso-ir-138 iso_8859-8:1988 logical visual",
    "iso8859-9": "iso-8859-9 csisolatin5 iso-ir-148 iso_8859-9:1989 l5 latin5",
    "iso8859-10": "iso-8859-10 csisolatin6 iso-ir-157 l6 latin6",
    "iso8859-11": "iso-8859-11",
    "iso8859-13": "iso-8859-13 l7 latin7",
    "iso8859-14": "iso-8859-14 iso_8859-14:1998 l8 latin8",
    "iso8859-15": "iso-8859-15 csisolatin9 l9 latin9 8859-15",
    "iso8859-16": "iso-8859-16 l10 latin10",
    "cp437": "cp437 437 ibm437",
    "cp737": "cp737",
    "cp775": "cp775 ibm775",
    "cp850": "cp850 850 ibm850",
    "cp852": "cp852 852 ibm852",
    "cp855": "cp855 855 ibm855",
    "cp857": "cp857 857 ibm857",
    "cp858": "cp858 858 ibm858",
    "cp860": "cp860 860 ibm860",
    "cp861": "cp861 861 ibm861",
    "cp862": "cp862 862 ibm862",
    "cp863": "cp863 863 ibm863",
    "cp865": "cp865 865 ibm865",
    "cp866": "cp866 866 csibm866 ibm866",
    "cp874": "cp874 windows-874 dos-874",
    "tis-620": "tis-620",
    "cp1250": "cp1250 windows-1250 x-cp1250 1250",
    "cp1251": "cp1251 windows-1251 x-cp1251 1251",
    "cp1252": "cp1252 windows-1252 x-cp1252 1252",
    "cp1253": "cp1253 windows-1253 x-cp1253 1253",
    "cp1254": "cp1254 windows-1254 x-cp1254 1254",
    "cp1255": "cp1255 windows-1255 x-cp1255 1255",
    "cp1256": "cp1256 windows-1256 x-cp1256 1256",
    "cp1257": "cp1257 windows-1257 x-cp1257 1257",
    "cp1258": "cp1258 windows-1258 x-cp1258 1258",
    "koi8-r": "koi8-r cskoi8r koi koi8",
    "koi8-u": "koi8-u koi8-ru",
    "mac-roman": "macintosh csmacintosh mac mac-roman x-mac-roman",
    "mac-cyrillic": "mac-cyrillic x-mac-cyrillic x-mac-ukrainian",
    "gb2312": "gb2312 chinese csgb2312 csiso58gb231280 euc-cn gb_2312-80 iso-ir-58",
    "gbk": "gbk cp936 936 ms936 x-gbk",
    "gb18030": "gb18030",
    "big5": "big5 big5-tw cn-big5 csbig5 x-x-big5",
    "big5hkscs": "big5-hkscs",
    "cp950": "cp950 950 ms950",
    "euc_jp": "euc-jp cseucpkdfmtjapanese ujis x-euc-jp",
    "iso2022_jp": "iso-2022-jp csiso2022jp",
    "shift_jis": "shift_jis csshiftjis sjis x-sjis",
    "cp932": "cp932 932 ms932 ms_kanji windows-31j",
    "euc_kr": "euc-kr cseuckr csksc56011987 iso-ir-149 korean ks_c_5601-1987 ks_c_5601-1989"
    " ksc5601 ksx1001",
    "cp949": "cp949 949 ms949 uhc windows-949",
}


MIXED = "ukharvest-windows-1252"  # error handler: bytes that are not UTF-8 are Windows-1252


def _windows_1252(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeDecodeError):
        raise error
    wrong = error.object[error.start : error.end]
    text = "".join(_byte(value) for value in wrong)
    return text, error.end


def _byte(value: int) -> str:
    byte = bytes([value])
    try:
        return byte.decode("cp1252")
    except UnicodeDecodeError:
        return byte.decode("latin-1")


codecs.register_error(MIXED, _windows_1252)


def _fold(name: str) -> str:
    """Return a name without its case and punctuation, in which publishers differ."""
    return re.sub(r"[-_.: ]", "", name.lower())


_CODECS = {_fold(label): codec for codec, labels in _LABELS.items() for label in labels.split()}


def find_codec(name: str) -> str:
    """Return Python's codec of an encoding by its name, "" for one that is not read."""
    return _CODECS.get(_fold(name), "") if len(name) <= _LONGEST else ""


def find_decoder(name: str) -> tuple[str, str]:
    """Return Python's codec and error handler for bytes of this encoding that are not UTF-8.

    A declared Latin-1 is Windows-1252 on the web (WHATWG Encoding, 4.2), and is decoded byte by
    byte: concatenated files contain both it and UTF-8. So is what has a name that is not read.
    """
    codec = find_codec(name)
    # UTF-16 has zero bytes or a mark, and is known by them; without these the name is wrong.
    is_mixed = codec in ("", "utf-8", "ascii", "iso8859-1", "cp1252") or is_wide(codec)
    return ("utf-8", MIXED) if is_mixed else (codec, "replace")


def is_wide(codec: str) -> bool:
    """Tell whether the encoding has zero bytes in Latin text: then its bytes show it."""
    return codec.startswith("utf-16")
