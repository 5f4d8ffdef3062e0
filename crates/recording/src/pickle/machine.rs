//! The machine.

use super::memo::Memo;
use super::{Meaning, Value, opcode as op};
use crate::error::Fault;
use crate::event::TextId;
use crate::input::Input;

/// Values on the stack. Python appends in batches of a thousand, so real pickles have a few thousand.
const MOST_VALUES: usize = 1 << 20;
/// Objects inside each other.
const DEEPEST: usize = 1 << 10;
/// Bytes of a text or of a number.
const LONGEST: u64 = 1 << 20;
/// Entries of one dictionary.
const MOST_FIELDS: usize = 1 << 16;

/// A list or dictionary that is not complete.
enum Object<L> {
    Dict(Vec<(TextId, Value)>),
    List(L),
    /// Complete, but still named from the stack.
    Done(Value),
}

struct Slot<L> {
    object: Object<L>,
    /// How often the stack names it.
    names: u32,
    /// Its number in the memo.
    memo: Option<u32>,
}

/// Runs a pickle.
pub(crate) struct Machine<'i, 'b, 'm, M: Meaning> {
    input: &'i mut Input<'b>,
    meaning: &'m mut M,
    stack: Vec<Value>,
    marks: Vec<usize>,
    slots: Vec<Option<Slot<M::List>>>,
    free: Vec<u32>,
    memo: Memo,
    /// The byte of the current instruction.
    at: u64,
}

impl<'i, 'b, 'm, M: Meaning> Machine<'i, 'b, 'm, M> {
    pub(crate) fn new(input: &'i mut Input<'b>, meaning: &'m mut M) -> Self {
        Self {
            input,
            meaning,
            stack: Vec::new(),
            marks: Vec::new(),
            slots: Vec::new(),
            free: Vec::new(),
            memo: Memo::default(),
            at: 0,
        }
    }

    /// Runs it to its end. Returns what its object became.
    pub(crate) fn run(mut self) -> Result<Value, Fault> {
        loop {
            self.at = self.input.at();
            let [instruction] = self.bytes::<1>()?;
            if instruction == op::STOP {
                let value = self.pop()?;
                return self.settle(value);
            }
            self.step(instruction)?;
            if self.stack.len() > MOST_VALUES {
                return Err(self.fault(format!(
                    "more than {MOST_VALUES} values wait for their list"
                )));
            }
            if self.marks.len() > DEEPEST {
                return Err(self.fault(format!("more than {DEEPEST} objects inside each other")));
            }
        }
    }

    fn fault(&self, what: impl Into<String>) -> Fault {
        Fault::at(self.at, what)
    }

    fn step(&mut self, instruction: u8) -> Result<(), Fault> {
        match instruction {
            op::PROTO => {
                let [protocol] = self.bytes::<1>()?;
                if protocol > 5 {
                    return Err(self.fault(format!("pickle protocol {protocol} is newer than 5")));
                }
            }
            // Frames only say how much to read at once.
            op::FRAME => drop(self.bytes::<8>()?),
            op::MARK => self.marks.push(self.stack.len()),
            op::POP => self.drop_top()?,
            op::POP_MARK => {
                let from = self.unmark()?;
                while self.stack.len() > from {
                    self.drop_top()?;
                }
            }
            op::DUP => {
                let value = self.top()?;
                self.name_again(value);
                self.stack.push(value);
            }
            op::NONE => self.stack.push(Value::None),
            op::NEWTRUE => self.stack.push(Value::Bool(true)),
            op::NEWFALSE => self.stack.push(Value::Bool(false)),
            op::BININT => {
                let number = i32::from_le_bytes(self.bytes()?);
                self.stack.push(Value::Int(number.into()));
            }
            op::BININT1 => {
                let [number] = self.bytes::<1>()?;
                self.stack.push(Value::Int(number.into()));
            }
            op::BININT2 => {
                let number = u16::from_le_bytes(self.bytes()?);
                self.stack.push(Value::Int(number.into()));
            }
            op::LONG1 => {
                let [length] = self.bytes::<1>()?;
                self.long(length.into())?;
            }
            op::LONG4 => {
                let length = u32::from_le_bytes(self.bytes()?);
                self.long(length.into())?;
            }
            op::INT | op::LONG | op::FLOAT => self.written_number(instruction)?,
            op::BINFLOAT => {
                // The only number of pickles that is stored with its highest byte first.
                let mut bytes: [u8; 8] = self.bytes()?;
                bytes.reverse();
                self.stack.push(Value::Float(f64::from_le_bytes(bytes)));
            }
            op::SHORT_BINUNICODE | op::SHORT_BINSTRING => {
                let [length] = self.bytes::<1>()?;
                self.text(length.into())?;
            }
            op::BINUNICODE | op::BINSTRING => {
                let length = u32::from_le_bytes(self.bytes()?);
                self.text(length.into())?;
            }
            op::BINUNICODE8 => {
                let length = u64::from_le_bytes(self.bytes()?);
                self.text(length)?;
            }
            op::STRING | op::UNICODE => self.written_text(instruction)?,
            op::SHORT_BINBYTES => {
                let [length] = self.bytes::<1>()?;
                self.skip(length.into())?;
            }
            op::BINBYTES => {
                let length = u32::from_le_bytes(self.bytes()?);
                self.skip(length.into())?;
            }
            op::BINBYTES8 | op::BYTEARRAY8 => {
                let length = u64::from_le_bytes(self.bytes()?);
                self.skip(length)?;
            }
            op::EMPTY_DICT => self.begin(Object::Dict(Vec::new()))?,
            op::EMPTY_LIST | op::EMPTY_SET => self.begin(Object::List(M::List::default()))?,
            op::EMPTY_TUPLE => self.stack.push(Value::Used),
            op::TUPLE1 => self.tuple(1)?,
            op::TUPLE2 => self.tuple(2)?,
            op::TUPLE3 => self.tuple(3)?,
            op::TUPLE | op::FROZENSET => {
                let from = self.unmark()?;
                self.tuple(self.stack.len() - from)?;
            }
            op::LIST => {
                let from = self.unmark()?;
                let items = self.stack.split_off(from);
                self.begin(Object::List(M::List::default()))?;
                self.append(items)?;
            }
            op::DICT => {
                let from = self.unmark()?;
                let items = self.stack.split_off(from);
                self.begin(Object::Dict(Vec::new()))?;
                self.set(&items)?;
            }
            op::APPEND => {
                let item = self.pop()?;
                self.append(vec![item])?;
            }
            op::APPENDS | op::ADDITEMS => {
                let from = self.unmark()?;
                let items = self.stack.split_off(from);
                self.append(items)?;
            }
            op::SETITEM => {
                let value = self.pop()?;
                let key = self.pop()?;
                self.set(&[key, value])?;
            }
            op::SETITEMS => {
                let from = self.unmark()?;
                let items = self.stack.split_off(from);
                self.set(&items)?;
            }
            op::MEMOIZE => self.put(u64::from(self.memo.next()))?,
            op::BINPUT => {
                let [number] = self.bytes::<1>()?;
                self.put(number.into())?;
            }
            op::LONG_BINPUT => {
                let number = u32::from_le_bytes(self.bytes()?);
                self.put(number.into())?;
            }
            op::PUT => {
                let number = self.written_index()?;
                self.put(number)?;
            }
            op::BINGET => {
                let [number] = self.bytes::<1>()?;
                self.get(number.into())?;
            }
            op::LONG_BINGET => {
                let number = u32::from_le_bytes(self.bytes()?);
                self.get(number.into())?;
            }
            op::GET => {
                let number = self.written_index()?;
                self.get(number)?;
            }
            other => return Err(self.refusal(other)),
        }
        Ok(())
    }

    fn refusal(&mut self, instruction: u8) -> Fault {
        let Some(name) = op::refused(instruction) else {
            return self.fault(format!(
                "{instruction:#04x} is not an instruction of a pickle"
            ));
        };
        let mut named = String::new();
        if matches!(instruction, op::GLOBAL | op::INST)
            && let (Ok(module), Ok(what)) = (self.line(), self.line())
        {
            named = format!(", which names {module}.{what}");
        }
        if let (op::STACK_GLOBAL, &[.., Value::Text(module), Value::Text(what)]) =
            (instruction, &self.stack[..])
        {
            let (module, what) = (self.meaning.spell(module), self.meaning.spell(what));
            named = format!(", which names {module}.{what}");
        }
        let named = millpond_trace::clean(&named).into_owned();
        self.fault(format!(
            "the pickle has the instruction {name}{named}. A memory snapshot is numbers, texts, lists and dictionaries only; \
             this pickle wants to run code and was not read further"
        ))
    }

    // Bytes.

    fn need(&mut self, bytes: usize) -> Result<(), Fault> {
        if self.input.fill(bytes)? {
            return Ok(());
        }
        let end = self.input.at() + self.input.ahead().len() as u64;
        Err(Fault::at(
            end,
            "the file ends inside the pickle: it was cut off",
        ))
    }

    #[inline]
    fn bytes<const N: usize>(&mut self) -> Result<[u8; N], Fault> {
        self.need(N)?;
        let mut bytes = [0; N];
        bytes.copy_from_slice(&self.input.ahead()[..N]);
        self.input.consume(N);
        Ok(bytes)
    }

    fn length(&self, length: u64) -> Result<usize, Fault> {
        if length > LONGEST {
            return Err(self.fault(format!(
                "a text or number of {length} bytes; at most {LONGEST} are read"
            )));
        }
        usize::try_from(length).map_err(|_| self.fault("too long"))
    }

    fn long(&mut self, length: u64) -> Result<(), Fault> {
        let length = self.length(length)?;
        self.need(length)?;
        let bytes = &self.input.ahead()[..length];
        let negative = bytes.last().is_some_and(|&last| last >= 0x80);
        let fill = if negative { 0xFF } else { 0 };
        let mut low = [fill; 8];
        let most = length.min(8);
        low[..most].copy_from_slice(&bytes[..most]);
        let rest_is_sign = bytes[most..].iter().all(|&byte| byte == fill);
        let number = u64::from_le_bytes(low);
        let signed = number.cast_signed();
        let value = if !rest_is_sign || negative && signed >= 0 {
            // No field of a snapshot has such a number.
            Value::Used
        } else if negative || signed >= 0 {
            Value::Int(signed)
        } else {
            Value::Large(number)
        };
        self.input.consume(length);
        self.stack.push(value);
        Ok(())
    }

    fn text(&mut self, length: u64) -> Result<(), Fault> {
        let length = self.length(length)?;
        self.need(length)?;
        // Python's texts may contain halves of characters, which UTF-8 does not allow.
        let text = String::from_utf8_lossy(&self.input.ahead()[..length]);
        let id = self.meaning.text(&text);
        self.input.consume(length);
        self.stack.push(Value::Text(id));
        Ok(())
    }

    /// Bytes mean nothing in a snapshot.
    fn skip(&mut self, length: u64) -> Result<(), Fault> {
        let mut left = length;
        while left > 0 {
            self.need(1)?;
            let now = usize::try_from(left)
                .unwrap_or(usize::MAX)
                .min(self.input.ahead().len());
            self.input.consume(now);
            left -= now as u64;
        }
        self.stack.push(Value::Used);
        Ok(())
    }

    /// The rest of a line, as the instructions of protocol 0 have it.
    fn line(&mut self) -> Result<String, Fault> {
        let mut length = 0;
        loop {
            self.length(length as u64)?;
            self.need(length + 1)?;
            if self.input.ahead()[length] == b'\n' {
                break;
            }
            length += 1;
        }
        let line = String::from_utf8_lossy(&self.input.ahead()[..length]).into_owned();
        self.input.consume(length + 1);
        Ok(line)
    }

    fn written_number(&mut self, instruction: u8) -> Result<(), Fault> {
        let line = self.line()?;
        let value = match (instruction, line.as_str()) {
            (op::INT, "00") => Some(Value::Bool(false)),
            (op::INT, "01") => Some(Value::Bool(true)),
            (op::FLOAT, number) => number.parse().ok().map(Value::Float),
            (_, number) => {
                let number = number.strip_suffix('L').unwrap_or(number);
                let signed = number.parse().ok().map(Value::Int);
                signed.or_else(|| number.parse().ok().map(Value::Large))
            }
        };
        let value =
            value.ok_or_else(|| self.fault(format!("{line:?} is not a number below 2^64")))?;
        self.stack.push(value);
        Ok(())
    }

    fn written_text(&mut self, instruction: u8) -> Result<(), Fault> {
        let line = self.line()?;
        let text = if instruction == op::STRING {
            line.trim_matches(['\'', '"'])
        } else {
            &line
        };
        let id = self.meaning.text(text);
        self.stack.push(Value::Text(id));
        Ok(())
    }

    fn written_index(&mut self) -> Result<u64, Fault> {
        let line = self.line()?;
        line.parse()
            .map_err(|_| self.fault(format!("{line:?} is not a place of the memo")))
    }

    // Values.

    fn pop(&mut self) -> Result<Value, Fault> {
        let floor = self.marks.last().copied().unwrap_or(0);
        if self.stack.len() <= floor {
            return Err(self.fault("the instruction needs a value, and there is none"));
        }
        self.stack
            .pop()
            .ok_or_else(|| self.fault("there is no value"))
    }

    fn top(&self) -> Result<Value, Fault> {
        self.stack
            .last()
            .copied()
            .ok_or_else(|| self.fault("the instruction needs a value, and there is none"))
    }

    fn unmark(&mut self) -> Result<usize, Fault> {
        self.marks
            .pop()
            .ok_or_else(|| self.fault("the instruction needs a mark, and there is none"))
    }

    fn begin(&mut self, object: Object<M::List>) -> Result<(), Fault> {
        let slot = Some(Slot {
            object,
            names: 1,
            memo: None,
        });
        let place = if let Some(place) = self.free.pop() {
            self.slots[place as usize] = slot;
            place
        } else {
            self.slots.push(slot);
            u32::try_from(self.slots.len() - 1).map_err(|_| self.fault("too many objects"))?
        };
        self.stack.push(Value::Object(place));
        Ok(())
    }

    fn slot(&mut self, place: u32) -> Result<&mut Slot<M::List>, Fault> {
        let at = self.at;
        let slot = self.slots.get_mut(place as usize).and_then(Option::as_mut);
        slot.ok_or_else(|| Fault::at(at, "an object contains itself"))
    }

    fn name_again(&mut self, value: Value) {
        if let Value::Object(place) = value
            && let Ok(slot) = self.slot(place)
        {
            slot.names = slot.names.saturating_add(1);
        }
    }

    /// Forgets one name of an object. The last one takes the slot with it.
    fn unname(&mut self, place: u32) {
        let Ok(slot) = self.slot(place) else { return };
        slot.names -= 1;
        if slot.names == 0 {
            if let Some(number) = slot.memo
                && !matches!(slot.object, Object::Done(_))
            {
                self.memo.replace(number, Value::Used);
            }
            self.slots[place as usize] = None;
            self.free.push(place);
        }
    }

    fn drop_top(&mut self) -> Result<(), Fault> {
        // POP also removes a mark that is on top.
        if self.marks.last() == Some(&self.stack.len()) {
            self.marks.pop();
            return Ok(());
        }
        let value = self.pop()?;
        if let Value::Object(place) = value {
            self.unname(place);
        }
        Ok(())
    }

    /// Completes an object that another one takes.
    fn settle(&mut self, value: Value) -> Result<Value, Fault> {
        let Value::Object(place) = value else {
            return Ok(value);
        };
        let at = self.at;
        let slot = self.slot(place)?;
        // While it is being completed, it means nothing: a hostile pickle may put an object into itself.
        let object = std::mem::replace(&mut slot.object, Object::Done(Value::Used));
        let memo = slot.memo;
        let done = match object {
            Object::Done(done) => done,
            Object::Dict(fields) => self.meaning.dict(&fields, at)?,
            Object::List(list) => self.meaning.list(list, at)?,
        };
        self.slot(place)?.object = Object::Done(done);
        if let Some(number) = memo {
            self.memo.replace(number, done);
        }
        self.unname(place);
        Ok(done)
    }

    fn tuple(&mut self, items: usize) -> Result<(), Fault> {
        for _ in 0..items {
            self.drop_top()?;
        }
        self.stack.push(Value::Used);
        Ok(())
    }

    fn append(&mut self, items: Vec<Value>) -> Result<(), Fault> {
        let target = self.top()?;
        let Value::Object(place) = target else {
            return Err(self.fault("the instruction appends to something that is not an open list"));
        };
        let at = self.at;
        for item in items {
            let item = self.settle(item)?;
            let slot = self.slots.get_mut(place as usize).and_then(Option::as_mut);
            let Some(Slot {
                object: Object::List(list),
                ..
            }) = slot
            else {
                return Err(
                    self.fault("the instruction appends to something that is not an open list")
                );
            };
            self.meaning.item(list, item, at)?;
        }
        Ok(())
    }

    fn set(&mut self, items: &[Value]) -> Result<(), Fault> {
        let target = self.top()?;
        let wrong = "the instruction sets an entry of something that is not an open dictionary";
        let Value::Object(place) = target else {
            return Err(self.fault(wrong));
        };
        let (pairs, odd) = items.as_chunks::<2>();
        if !odd.is_empty() {
            return Err(self.fault("a key has no value"));
        }
        for &[key, value] in pairs {
            let value = self.settle(value)?;
            let key = match self.settle(key)? {
                Value::Text(key) => key,
                Value::Int(number) => self.meaning.text(&number.to_string()),
                _ => continue,
            };
            let at = self.at;
            let Object::Dict(fields) = &mut self.slot(place)?.object else {
                return Err(self.fault(wrong));
            };
            if fields.len() == MOST_FIELDS {
                return Err(Fault::at(
                    at,
                    format!("a dictionary has more than {MOST_FIELDS} entries"),
                ));
            }
            fields.push((key, value));
        }
        Ok(())
    }

    fn put(&mut self, number: u64) -> Result<(), Fault> {
        let value = self.top()?;
        let Ok(number) = u32::try_from(number) else {
            return Err(self.fault(format!("{number} is not a place of the memo")));
        };
        // An object has one number, and a number one object: what it becomes is stored there.
        if let Some(Value::Object(other)) = self.memo.get(number)
            && let Ok(other) = self.slot(other)
        {
            other.memo = None;
        }
        if let Value::Object(place) = value {
            let before = self.slot(place)?.memo.replace(number);
            if let Some(before) = before {
                self.memo.replace(before, Value::Used);
            }
        }
        if self.memo.put(number, value) {
            return Ok(());
        }
        Err(self.fault(format!(
            "place {number} of the memo is far beyond all others"
        )))
    }

    fn get(&mut self, number: u64) -> Result<(), Fault> {
        let found = u32::try_from(number)
            .ok()
            .and_then(|number| self.memo.get(number));
        let Some(value) = found else {
            return Err(self.fault(format!("nothing was put at place {number} of the memo")));
        };
        if let Value::Object(place) = value {
            // Gone if it was dropped from the stack before it was complete.
            self.slot(place)?;
            self.name_again(value);
        }
        self.stack.push(value);
        Ok(())
    }
}
