//! The instructions of pickles, by the names that Python's `pickletools` gives them.

macro_rules! opcodes {
    ($($name:ident = $byte:expr),* $(,)?) => { $(pub(super) const $name: u8 = $byte;)* };
}

opcodes! {
    MARK = b'(', STOP = b'.', POP = b'0', POP_MARK = b'1', DUP = b'2',
    FLOAT = b'F', INT = b'I', BININT = b'J', BININT1 = b'K', LONG = b'L', BININT2 = b'M', NONE = b'N',
    STRING = b'S', BINSTRING = b'T', SHORT_BINSTRING = b'U', UNICODE = b'V', BINUNICODE = b'X',
    APPEND = b'a', APPENDS = b'e', GLOBAL = b'c', DICT = b'd', EMPTY_DICT = b'}',
    GET = b'g', BINGET = b'h', LONG_BINGET = b'j', INST = b'i', LIST = b'l', EMPTY_LIST = b']',
    PUT = b'p', BINPUT = b'q', LONG_BINPUT = b'r', SETITEM = b's', TUPLE = b't', EMPTY_TUPLE = b')', SETITEMS = b'u',
    BINFLOAT = b'G', BINBYTES = b'B', SHORT_BINBYTES = b'C',
    PROTO = 0x80, TUPLE1 = 0x85, TUPLE2 = 0x86, TUPLE3 = 0x87, NEWTRUE = 0x88, NEWFALSE = 0x89, LONG1 = 0x8A, LONG4 = 0x8B,
    SHORT_BINUNICODE = 0x8C, BINUNICODE8 = 0x8D, BINBYTES8 = 0x8E, EMPTY_SET = 0x8F, ADDITEMS = 0x90, FROZENSET = 0x91,
    STACK_GLOBAL = 0x93, MEMOIZE = 0x94, FRAME = 0x95, BYTEARRAY8 = 0x96,
}

/// The instructions that would run code, or reach outside of the file.
pub(super) fn refused(byte: u8) -> Option<&'static str> {
    Some(match byte {
        GLOBAL => "GLOBAL",
        STACK_GLOBAL => "STACK_GLOBAL",
        INST => "INST",
        b'R' => "REDUCE",
        b'b' => "BUILD",
        b'o' => "OBJ",
        b'P' => "PERSID",
        b'Q' => "BINPERSID",
        0x81 => "NEWOBJ",
        0x82 => "EXT1",
        0x83 => "EXT2",
        0x84 => "EXT4",
        0x92 => "NEWOBJ_EX",
        0x97 => "NEXT_BUFFER",
        0x98 => "READONLY_BUFFER",
        _ => return None,
    })
}
