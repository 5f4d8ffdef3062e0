//! Values that flow through the graph, written down as formulas.
//!
//! A [`Val`] can be copied and knows the context that it belongs to, so a row reads like the formula that
//! it computes: `dy * (1.0 - y * y)`. Nodes are put between casts where the engine has no kernel for their
//! element type.

mod arrange;
mod reduce;
mod scalar;

use crate::Element;
use crate::context::Context;
use crate::kernels::carrier;
use millpond_model::onnx::Attribute;
use std::ops::{Add, Div, Mul, Neg, Sub};

/// A value in a graph.
#[derive(Clone, Copy)]
pub(crate) struct Val<'c> {
    cx: &'c Context<'c>,
    id: usize,
    element: Element,
}

impl std::fmt::Debug for Val<'_> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "#{} of {}", self.id, self.element.name())
    }
}

/// The attributes of a node.
pub(crate) type Attrs<'a> = &'a [(&'a str, Attribute)];

impl<'c> Val<'c> {
    pub(crate) fn new(cx: &'c Context<'_>, id: usize, element: Element) -> Self {
        Self { cx, id, element }
    }

    pub(crate) fn id(self) -> usize {
        self.id
    }

    pub(crate) fn element(self) -> Element {
        self.element
    }

    pub(crate) fn cx(self) -> &'c Context<'c> {
        self.cx
    }

    /// The same numbers in another type; to bool, everything but 0 is true.
    pub(crate) fn cast(self, to: Element) -> Self {
        if self.element == to {
            return self;
        }
        let attributes = [("to", Attribute::from(to))];
        let made = self.cx.raw("Cast", &[Some(self)], &attributes, &[to]);
        made[0]
    }

    /// With 16-bit floats widened to 32 bits.
    pub(crate) fn widened(self) -> Self {
        match self.element {
            Element::F16 | Element::BF16 => self.cast(Element::F32),
            _ => self,
        }
    }

    /// A node with one output of this value's type. Inputs of this type are carried where the engine needs
    /// another; inputs of other types (indices, masks) go in as they are.
    pub(crate) fn apply(self, op: &str, others: &[Val<'c>], attributes: Attrs) -> Self {
        let mut inputs = vec![self];
        inputs.extend_from_slice(others);
        self.carry(op, &inputs, attributes, 1)[0]
    }

    /// The same with several outputs.
    pub(crate) fn apply_many(
        self,
        op: &str,
        others: &[Val<'c>],
        attributes: Attrs,
        outputs: usize,
    ) -> Vec<Self> {
        let mut inputs = vec![self];
        inputs.extend_from_slice(others);
        self.carry(op, &inputs, attributes, outputs)
    }

    fn carry(self, op: &str, inputs: &[Val<'c>], attributes: Attrs, outputs: usize) -> Vec<Self> {
        let carrier = carrier(op, self.element);
        let inputs: Vec<Option<Val>> = inputs
            .iter()
            .map(|input| {
                let same = input.element == self.element;
                Some(if same { input.cast(carrier) } else { *input })
            })
            .collect();
        let made = self
            .cx
            .raw(op, &inputs, attributes, &vec![carrier; outputs]);
        made.into_iter().map(|it| it.cast(self.element)).collect()
    }

    /// A node that answers with truth values.
    fn test(self, op: &str, others: &[Val<'c>]) -> Self {
        let carrier = carrier(op, self.element);
        let mut inputs = vec![Some(self.cast(carrier))];
        inputs.extend(others.iter().map(|other| Some(other.cast(carrier))));
        self.cx.raw(op, &inputs, &[], &[Element::Bool])[0]
    }

    /// A node on this value alone.
    pub(crate) fn unary(self, op: &str) -> Self {
        self.apply(op, &[], &[])
    }

    /// A node on two values, broadcast. Values of different types meet in the wider one.
    pub(crate) fn binary(self, op: &str, other: Val<'c>) -> Self {
        let common = join(self.element, other.element);
        self.cast(common).apply(op, &[other.cast(common)], &[])
    }

    fn compare(self, op: &str, other: Val<'c>) -> Self {
        let common = join(self.element, other.element);
        self.cast(common).test(op, &[other.cast(common)])
    }

    pub(crate) fn max(self, other: Val<'c>) -> Self {
        self.binary("Max", other)
    }

    pub(crate) fn min(self, other: Val<'c>) -> Self {
        self.binary("Min", other)
    }

    pub(crate) fn pow(self, other: Val<'c>) -> Self {
        self.binary("Pow", other)
    }

    pub(crate) fn equal(self, other: Val<'c>) -> Self {
        self.compare("Equal", other)
    }

    pub(crate) fn less(self, other: Val<'c>) -> Self {
        self.compare("Less", other)
    }

    pub(crate) fn less_equal(self, other: Val<'c>) -> Self {
        self.compare("LessOrEqual", other)
    }

    pub(crate) fn greater(self, other: Val<'c>) -> Self {
        self.compare("Greater", other)
    }

    pub(crate) fn greater_equal(self, other: Val<'c>) -> Self {
        self.compare("GreaterOrEqual", other)
    }

    pub(crate) fn and(self, other: Val<'c>) -> Self {
        self.test("And", &[other])
    }

    pub(crate) fn or(self, other: Val<'c>) -> Self {
        self.test("Or", &[other])
    }

    pub(crate) fn not(self) -> Self {
        self.test("Not", &[])
    }

    /// `yes` where this is true, `no` elsewhere.
    pub(crate) fn choose(self, yes: Val<'c>, no: Val<'c>) -> Self {
        let common = join(yes.element, no.element);
        let carrier = carrier("Where", common);
        let inputs = [Some(self), Some(yes.cast(carrier)), Some(no.cast(carrier))];
        self.cx.raw("Where", &inputs, &[], &[carrier])[0].cast(common)
    }
}

/// The type in which numbers of two types meet.
fn join(a: Element, b: Element) -> Element {
    use Element::{BF16, Bool, F16, F32, F64, I32, I64};
    match (a, b) {
        _ if a == b => a,
        (Bool, other) | (other, Bool) => other,
        (F64, _) | (_, F64) => F64,
        (F32, _) | (_, F32) | (F16, BF16) | (BF16, F16) => F32,
        (half @ (F16 | BF16), _) | (_, half @ (F16 | BF16)) => half,
        _ if a.bytes() < 4 && b.bytes() < 4 => I32,
        _ => I64,
    }
}

macro_rules! unary {
    ($($name:ident => $op:literal),* $(,)?) => {
        impl Val<'_> {$(
            pub(crate) fn $name(self) -> Self {
                self.unary($op)
            }
        )*}
    };
}
unary!(
    abs => "Abs", ceil => "Ceil", erf => "Erf", exp => "Exp", floor => "Floor", log => "Log",
    reciprocal => "Reciprocal", round => "Round", sigmoid => "Sigmoid", sign => "Sign",
    softplus => "Softplus", sqrt => "Sqrt", tanh => "Tanh",
);

impl Val<'_> {
    pub(crate) fn square(self) -> Self {
        self * self
    }

    /// The whole part, towards 0.
    pub(crate) fn trunc(self) -> Self {
        self.sign() * self.abs().floor()
    }
}

macro_rules! operator {
    ($($trait:ident $method:ident),*) => {$(
        impl<'c> $trait<Val<'c>> for Val<'c> {
            type Output = Self;
            fn $method(self, other: Self) -> Self {
                self.binary(stringify!($trait), other)
            }
        }

        impl<'c> $trait<f32> for Val<'c> {
            type Output = Self;
            fn $method(self, other: f32) -> Self {
                self.$method(self.like(other))
            }
        }

        impl<'c> $trait<Val<'c>> for f32 {
            type Output = Val<'c>;
            fn $method(self, other: Val<'c>) -> Val<'c> {
                other.like(self).$method(other)
            }
        }
    )*};
}
operator!(Add add, Sub sub, Mul mul, Div div);

impl Neg for Val<'_> {
    type Output = Self;
    fn neg(self) -> Self {
        self.unary("Neg")
    }
}
