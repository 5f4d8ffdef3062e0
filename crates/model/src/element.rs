//! The type of a tensor's elements.

/// An element type of tensors. Its discriminant is ONNX's number for it, except for [`Element::C32`], which ONNX does not have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
#[allow(missing_docs, reason = "the names are self-explanatory")]
pub enum Element {
    F32 = 1,
    U8 = 2,
    I8 = 3,
    U16 = 4,
    I16 = 5,
    I32 = 6,
    I64 = 7,
    Bool = 9,
    F16 = 10,
    F64 = 11,
    U32 = 12,
    U64 = 13,
    C64 = 14,
    C128 = 15,
    BF16 = 16,
    /// 4 bits of exponent, 3 of fraction, no infinity. Models have the 8-bit floats, and a few functions.
    F8E4M3 = 17,
    /// 5 bits of exponent, 2 of fraction.
    F8E5M2 = 19,
    /// A power of two: the scale of a block.
    F8E8M0 = 24,
    /// A complex number of two `F16`. Only functions have it.
    C32 = 255,
}

/// Each element type: AscendCL's number, size in bytes, name.
const ELEMENTS: [(Element, i32, usize, &str); 19] = [
    (Element::F32, 0, 4, "float"),
    (Element::F16, 1, 2, "float16"),
    (Element::I8, 2, 1, "int8"),
    (Element::I32, 3, 4, "int32"),
    (Element::U8, 4, 1, "uint8"),
    (Element::I16, 6, 2, "int16"),
    (Element::U16, 7, 2, "uint16"),
    (Element::U32, 8, 4, "uint32"),
    (Element::I64, 9, 8, "int64"),
    (Element::U64, 10, 8, "uint64"),
    (Element::F64, 11, 8, "double"),
    (Element::Bool, 12, 1, "bool"),
    (Element::C64, 16, 8, "complex64"),
    (Element::C128, 17, 16, "complex128"),
    (Element::BF16, 27, 2, "bfloat16"),
    (Element::C32, 33, 4, "complex32"),
    (Element::F8E5M2, 35, 1, "float8_e5m2"),
    (Element::F8E4M3, 36, 1, "float8_e4m3fn"),
    (Element::F8E8M0, 37, 1, "float8_e8m0"),
];

/// The sizes of [`ELEMENTS`] by discriminant: every operator asks for them several times.
const BYTES: [u8; 256] = {
    let mut bytes = [0; 256];
    let mut row = 0;
    while row < ELEMENTS.len() {
        #[expect(clippy::cast_possible_truncation, reason = "16 at most")]
        {
            bytes[ELEMENTS[row].0 as usize] = ELEMENTS[row].2 as u8;
        }
        row += 1;
    }
    bytes
};

impl Element {
    /// The element type with this number in ONNX.
    pub fn from_onnx(number: i64) -> Option<Self> {
        Self::find(|row| row.0 != Self::C32 && i64::from(row.0.onnx()) == number)
    }

    /// The element type with this number in AscendCL, if operators compute with it.
    pub fn from_acl(number: i32) -> Option<Self> {
        Self::find(|row| row.1 == number && row.0.is_general())
    }

    /// The element type with this number in AscendCL, also one that only functions or models have.
    pub fn stored_from_acl(number: i32) -> Option<Self> {
        Self::find(|row| row.1 == number)
    }

    /// Whether it is an 8-bit float: models have them, and functions whose plan says so; nothing else computes with them.
    pub fn is_float8(self) -> bool {
        matches!(self, Self::F8E4M3 | Self::F8E5M2 | Self::F8E8M0)
    }

    /// Whether operators by name have it, too.
    fn is_general(self) -> bool {
        !self.is_float8() && self != Self::C32
    }

    /// The element type with this name, case-insensitive, if operators compute with it.
    pub fn from_name(name: &str) -> Option<Self> {
        let name = name.to_ascii_lowercase();
        let name = match name.as_str() {
            "float32" | "fp32" => "float",
            "fp16" | "half" => "float16",
            "float64" => "double",
            "bf16" => "bfloat16",
            other => other,
        };
        Self::find(|row| row.3 == name && row.0.is_general())
    }

    fn find(fits: impl Fn(&(Self, i32, usize, &str)) -> bool) -> Option<Self> {
        ELEMENTS.iter().find(|row| fits(row)).map(|row| row.0)
    }

    fn row(self) -> &'static (Self, i32, usize, &'static str) {
        let found = ELEMENTS.iter().find(|row| row.0 == self);
        found.unwrap_or(&ELEMENTS[0])
    }

    /// Its number in ONNX. `C32` has none and does not get into models.
    pub fn onnx(self) -> i32 {
        self as i32
    }

    /// Its number in AscendCL.
    pub fn acl(self) -> i32 {
        self.row().1
    }

    /// The size of one element in bytes.
    #[inline]
    pub fn bytes(self) -> usize {
        BYTES[self as usize].into()
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        self.row().3
    }

    /// The bytes of the value 1.
    pub fn one(self) -> &'static [u8] {
        match self {
            Self::F32 => &[0, 0, 0x80, 0x3f],
            Self::F64 => &[0, 0, 0, 0, 0, 0, 0xf0, 0x3f],
            Self::F16 => &[0, 0x3c],
            Self::BF16 => &[0x80, 0x3f],
            Self::U8 | Self::I8 | Self::Bool => &[1],
            Self::F8E4M3 => &[0x38],
            Self::F8E5M2 => &[0x3c],
            Self::F8E8M0 => &[0x7f],
            Self::U16 | Self::I16 => &[1, 0],
            Self::U32 | Self::I32 => &[1, 0, 0, 0],
            Self::U64 | Self::I64 => &[1, 0, 0, 0, 0, 0, 0, 0],
            Self::C32 => &[0, 0x3c, 0, 0],
            Self::C64 => &[0, 0, 0x80, 0x3f, 0, 0, 0, 0],
            Self::C128 => &[0, 0, 0, 0, 0, 0, 0xf0, 0x3f, 0, 0, 0, 0, 0, 0, 0, 0],
        }
    }

    /// Whether it is a floating-point type.
    pub fn is_float(self) -> bool {
        matches!(self, Self::F16 | Self::BF16 | Self::F32 | Self::F64) || self.is_float8()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_element_is_found_by_its_numbers_and_its_name() {
        for (element, acl, bytes, name) in ELEMENTS {
            assert_eq!(element.bytes(), bytes);
            assert_eq!(Element::stored_from_acl(acl), Some(element));
            let computed = element.is_general().then_some(element);
            assert_eq!(Element::from_acl(acl), computed);
            assert_eq!(Element::from_name(&name.to_uppercase()), computed);
            let in_models = (element != Element::C32).then_some(element);
            assert_eq!(Element::from_onnx(element.onnx().into()), in_models);
            assert_eq!(element.acl(), acl);
            assert_eq!(element.one().len(), element.bytes());
        }
        assert_eq!(Element::F32.one(), 1_f32.to_le_bytes());
        assert_eq!(Element::F64.one(), 1_f64.to_le_bytes());
        assert_eq!(Element::from_name("fp16"), Some(Element::F16));
        assert_eq!(Element::from_acl(-1), None);
        assert_eq!(Element::from_onnx(8), None, "strings are not tensors here");
    }
}
