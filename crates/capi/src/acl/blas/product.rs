//! Products as operators: the graph of one, and its tensors.
//!
//! `D = alpha * op(A) * op(B) + beta * C`, where B and C may be vectors. Matrices are stored row by row
//! without gaps. Sums are formed in 32 bits; a beta of 0 leaves C unread, as its memory may hold anything.

use std::collections::HashMap;
use std::sync::Arc;

use millpond::Element;
use millpond_abi as abi;
use millpond_model::onnx::{Dim, Graph, Value};
use millpond_operators::Attributes;
use parking_lot::Mutex;

use crate::acl::op::compiled::Operator;
use crate::acl::op::handle::Ready;
use crate::acl::op::tensors::Described;
use crate::boundary::{CallError, bad_value};

/// Operators that are ready, by what their graphs depend on.
static READY: Mutex<Option<HashMap<Form, Arc<Operator>>>> = Mutex::new(None);

/// What a product's graph depends on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct Form {
    turn_a: bool,
    turn_b: bool,
    is_vector: bool,
    a: Element,
    b: Element,
    c: Element,
}

/// A product as a program asks for it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Product {
    pub(crate) turn_a: abi::aclTransType,
    pub(crate) turn_b: abi::aclTransType,
    pub(crate) turn_c: abi::aclTransType,
    /// Rows of the result, its columns, and how many products each element sums.
    pub(crate) m: i32,
    pub(crate) n: i32,
    pub(crate) k: i32,
    pub(crate) is_vector: bool,
    pub(crate) a: abi::aclDataType,
    pub(crate) b: abi::aclDataType,
    pub(crate) c: abi::aclDataType,
    pub(crate) precision: abi::aclComputeType,
}

fn turned(turn: abi::aclTransType, argument: &'static str) -> Result<bool, CallError> {
    match turn {
        abi::ACL_TRANS_N => Ok(false),
        abi::ACL_TRANS_T => Ok(true),
        abi::ACL_TRANS_NZ | abi::ACL_TRANS_NZ_T => Err(CallError::coded(
            abi::ACL_ERROR_API_NOT_SUPPORT,
            format!(
                "the argument '{argument}' is {turn}, the blocked layout of NPU cores, which is \
                 not supported: use ACL_TRANS_N or ACL_TRANS_T"
            ),
        )),
        other => bad_value(argument, other, "it must be a value of aclTransType"),
    }
}

fn side(value: i32, argument: &'static str) -> Result<i64, CallError> {
    if value > 0 {
        return Ok(value.into());
    }
    bad_value(argument, value, "it must be at least 1")
}

fn element(number: abi::aclDataType, argument: &'static str) -> Result<Element, CallError> {
    let known = [Element::F16, Element::F32, Element::I8, Element::I32];
    match Element::from_acl(number) {
        Some(element) if known.contains(&element) => Ok(element),
        _ => Err(CallError::coded(
            abi::ACL_ERROR_UNSUPPORTED_DATA_TYPE,
            format!(
                "the argument '{argument}' is {number}, but must be float16, float, int8 or int32"
            ),
        )),
    }
}

impl Product {
    /// Makes the product ready to run: inputs A, B, C, alpha, beta; output D.
    pub(crate) fn ready(self) -> Result<Ready, CallError> {
        let form = Form {
            turn_a: turned(self.turn_a, "transA")?,
            turn_b: turned(self.turn_b, "transB")?,
            is_vector: self.is_vector,
            a: element(self.a, "dataTypeA")?,
            b: element(
                self.b,
                if self.is_vector {
                    "dataTypeX"
                } else {
                    "dataTypeB"
                },
            )?,
            c: element(
                self.c,
                if self.is_vector {
                    "dataTypeY"
                } else {
                    "dataTypeC"
                },
            )?,
        };
        if turned(self.turn_c, "transC")? {
            return Err(CallError::coded(
                abi::ACL_ERROR_API_NOT_SUPPORT,
                "the argument 'transC' is ACL_TRANS_T, but must be ACL_TRANS_N",
            ));
        }
        if !(abi::ACL_COMPUTE_HIGH_PRECISION..=abi::ACL_COMPUTE_LOW_PRECISION)
            .contains(&self.precision)
        {
            return bad_value(
                "type",
                self.precision,
                "it must be a value of aclComputeType",
            );
        }
        let rows = side(self.m, "m")?;
        let columns = side(self.n, "n")?;
        let sums = side(self.k, if self.is_vector { "n" } else { "k" })?;
        let turn = |turned: bool, rows: i64, columns: i64| {
            if turned {
                vec![columns, rows]
            } else {
                vec![rows, columns]
            }
        };
        let a = turn(form.turn_a, rows, sums);
        let (b, c) = if form.is_vector {
            (vec![sums], vec![rows])
        } else {
            (turn(form.turn_b, sums, columns), vec![rows, columns])
        };
        let c = described(form.c, c);
        let scalar = described(form.c, Vec::new());
        Ok(Ready {
            kind: "GEMM".to_owned(),
            inputs: vec![
                described(form.a, a),
                described(form.b, b),
                c.clone(),
                scalar.clone(),
                scalar,
            ],
            outputs: vec![c],
            attributes: Attributes::new(),
            operator: Some(form.operator()?),
        })
    }
}

fn described(element: Element, dims: Vec<i64>) -> Described {
    Described {
        element: Some(element),
        dims,
        ranges: Vec::new(),
        format: abi::ACL_FORMAT_ND,
        storage: None,
        constant: None,
        on_host: false,
    }
}

impl Form {
    fn operator(self) -> Result<Arc<Operator>, CallError> {
        let ready = READY
            .lock()
            .as_ref()
            .and_then(|ready| ready.get(&self).cloned());
        if let Some(ready) = ready {
            return Ok(ready);
        }
        let operator = Operator::load("GEMM", &self.graph(), (0..5).collect(), vec![0], false)?;
        let operator = Arc::new(operator);
        let mut ready = READY.lock();
        let ready = ready.get_or_insert_default().entry(self);
        Ok(Arc::clone(ready.or_insert(operator)))
    }

    /// The type that sums are formed in.
    fn sum(self) -> Element {
        if self.a.is_float() || self.b.is_float() {
            Element::F32
        } else {
            Element::I32
        }
    }

    /// The type that alpha, beta and C are taken in.
    fn wide(self) -> Element {
        if self.c.is_float() {
            Element::F32
        } else {
            self.sum()
        }
    }

    fn graph(self) -> Vec<u8> {
        let mut graph = Graph::new("GEMM");
        let matrix = [Dim::Any, Dim::Any];
        let vector = &matrix[..if self.is_vector { 1 } else { 2 }];
        let a = graph.input("a", self.a, &matrix);
        let b = graph.input("b", self.b, vector);
        let c = graph.input("c", self.c, vector);
        let alpha = graph.input("alpha", self.c, &[]);
        let beta = graph.input("beta", self.c, &[]);
        let to = |graph: &mut Graph, value: &Value, element: Element| {
            graph.node("Cast", &[value], &[("to", element.into())])
        };
        let a = to(&mut graph, &a, self.sum());
        let b = to(&mut graph, &b, self.sum());
        let a = turn(&mut graph, a, self.turn_a);
        let b = turn(&mut graph, b, self.turn_b);
        // A vector goes through as a matrix of one column: engines that fold a transposition into the product
        // lose it beside a vector.
        let column = graph.ints(&[1]);
        let b = if self.is_vector {
            graph.node("Unsqueeze", &[&b, &column], &[])
        } else {
            b
        };
        let product = graph.node("MatMul", &[&a, &b], &[]);
        let product = if self.is_vector {
            graph.node("Squeeze", &[&product, &column], &[])
        } else {
            product
        };
        let product = to(&mut graph, &product, self.wide());
        let alpha = to(&mut graph, &alpha, self.wide());
        let beta = to(&mut graph, &beta, self.wide());
        let c = to(&mut graph, &c, self.wide());
        let product = graph.node("Mul", &[&product, &alpha], &[]);
        let zero = graph.constant(self.wide(), &[], &[0; 4]);
        let unread = graph.node("Equal", &[&beta, &zero], &[]);
        let added = graph.node("Mul", &[&c, &beta], &[]);
        let added = graph.node("Where", &[&unread, &zero, &added], &[]);
        let result = graph.node("Add", &[&product, &added], &[]);
        let result = to(&mut graph, &result, self.c);
        graph.output("d", &result, self.c, Some(vector));
        graph.finish()
    }
}

fn turn(graph: &mut Graph, value: Value, is_turned: bool) -> Value {
    if is_turned {
        return graph.node("Transpose", &[&value], &[("perm", vec![1_i64, 0].into())]);
    }
    value
}
