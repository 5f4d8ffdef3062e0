//! A number that a call gives by value.

use millpond_kernels::{Complex64, Element};

/// A number.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Number {
    /// A truth value.
    Bool(bool),
    /// An integer.
    Int(i64),
    /// A real number.
    Float(f64),
    /// A complex number.
    Complex(Complex64),
}

/// A number with the type that the caller gave it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Scalar {
    /// Its type.
    pub element: Element,
    /// Its value.
    pub number: Number,
}

impl Scalar {
    /// An integer.
    pub const fn int(value: i64) -> Self {
        Self {
            element: Element::I64,
            number: Number::Int(value),
        }
    }

    /// A real number.
    pub const fn float(value: f64) -> Self {
        Self {
            element: Element::F64,
            number: Number::Float(value),
        }
    }

    /// As a real number.
    #[expect(clippy::cast_precision_loss, reason = "the nearest one")]
    pub fn real(&self) -> f64 {
        match self.number {
            Number::Bool(value) => f64::from(u8::from(value)),
            Number::Int(value) => value as f64,
            Number::Float(value) => value,
            Number::Complex(value) => value.re,
        }
    }

    /// As an integer; the integer part of a real number.
    #[expect(clippy::cast_possible_truncation, reason = "the integer part")]
    pub fn whole(&self) -> i64 {
        match self.number {
            Number::Bool(value) => i64::from(value),
            Number::Int(value) => value,
            Number::Float(value) => value as i64,
            Number::Complex(value) => value.re as i64,
        }
    }

    /// As a complex number.
    pub fn complex(&self) -> Complex64 {
        match self.number {
            Number::Complex(value) => value,
            _ => Complex64::new(self.real(), 0.0),
        }
    }

    /// Whether it is something else than zero.
    pub fn is_true(&self) -> bool {
        match self.number {
            Number::Bool(value) => value,
            Number::Int(value) => value != 0,
            Number::Float(value) => value != 0.0,
            Number::Complex(value) => value != Complex64::default(),
        }
    }

    /// The value in a type that is computed in. Integers keep all their bits.
    pub fn compute<C: millpond_kernels::Compute>(&self) -> C {
        match self.number {
            Number::Bool(value) => C::from_i64(i64::from(value)),
            Number::Int(value) => C::from_i64(value),
            Number::Float(value) => C::from_f64(value),
            Number::Complex(value) => C::from_complex(value),
        }
    }
}
