//! How each type of a field is written and read.

use smallvec::SmallVec;

use crate::{Accesses, Bytes, Position, RankMessage, RankPart, Span, Spans, TaskKind, Text};

use super::input::{Input, Unfit};
use super::output::Output;

#[cfg(test)]
use super::tests::Random;

/// The type of a field. Its encoding never changes: see the rules in docs/record-format.md.
pub(super) trait Field: Sized {
    fn write(&self, out: &mut Output);
    fn read(input: &mut Input<'_>) -> Result<Self, Unfit>;

    /// Its name in the document.
    #[cfg(test)]
    fn form() -> String;
    /// Any value of it, for tests.
    #[cfg(test)]
    fn any(random: &mut Random) -> Self;
}

impl Field for u64 {
    #[inline]
    fn write(&self, out: &mut Output) {
        out.number(*self);
    }

    #[inline]
    fn read(input: &mut Input<'_>) -> Result<Self, Unfit> {
        input.number()
    }

    #[cfg(test)]
    fn form() -> String {
        "number".to_owned()
    }

    #[cfg(test)]
    fn any(random: &mut Random) -> Self {
        random.number()
    }
}

impl Field for u32 {
    fn write(&self, out: &mut Output) {
        out.number(u64::from(*self));
    }

    fn read(input: &mut Input<'_>) -> Result<Self, Unfit> {
        input.small()
    }

    #[cfg(test)]
    fn form() -> String {
        "small".to_owned()
    }

    #[cfg(test)]
    fn any(random: &mut Random) -> Self {
        random.small()
    }
}

impl Field for i32 {
    fn write(&self, out: &mut Output) {
        // Zigzag: small numbers of either sign become small: 0, -1, 1, -2 and so on.
        let folded = (self << 1) ^ (self >> 31);
        out.number(u64::from(folded.cast_unsigned()));
    }

    fn read(input: &mut Input<'_>) -> Result<Self, Unfit> {
        let folded = input.small()?;
        Ok((folded >> 1).cast_signed() ^ -((folded & 1).cast_signed()))
    }

    #[cfg(test)]
    fn form() -> String {
        "signed".to_owned()
    }

    #[cfg(test)]
    fn any(random: &mut Random) -> Self {
        random.small().cast_signed()
    }
}

impl Field for bool {
    fn write(&self, out: &mut Output) {
        out.number(u64::from(*self));
    }

    fn read(input: &mut Input<'_>) -> Result<Self, Unfit> {
        match input.number()? {
            0 => Ok(false),
            1 => Ok(true),
            _ => Err(Unfit::Malformed),
        }
    }

    #[cfg(test)]
    fn form() -> String {
        "yes or no".to_owned()
    }

    #[cfg(test)]
    fn any(random: &mut Random) -> Self {
        random.below(2) == 1
    }
}

impl Field for String {
    fn write(&self, out: &mut Output) {
        out.text(self);
    }

    fn read(input: &mut Input<'_>) -> Result<Self, Unfit> {
        Ok(input.text()?.to_owned())
    }

    #[cfg(test)]
    fn form() -> String {
        "text".to_owned()
    }

    #[cfg(test)]
    fn any(random: &mut Random) -> Self {
        random.text()
    }
}

impl Field for Text {
    fn write(&self, out: &mut Output) {
        out.text(self);
    }

    fn read(input: &mut Input<'_>) -> Result<Self, Unfit> {
        let text = input.text()?;
        if text.is_empty() {
            return Ok(Self::default());
        }
        Ok(Self::Owned(text.to_owned()))
    }

    #[cfg(test)]
    fn form() -> String {
        "text".to_owned()
    }

    #[cfg(test)]
    fn any(random: &mut Random) -> Self {
        Self::Owned(random.text())
    }
}

impl<T: Field> Field for Option<T> {
    fn write(&self, out: &mut Output) {
        match self {
            None => out.number(0),
            Some(value) => {
                out.number(1);
                value.write(out);
            }
        }
    }

    fn read(input: &mut Input<'_>) -> Result<Self, Unfit> {
        match input.number()? {
            0 => Ok(None),
            1 => Ok(Some(T::read(input)?)),
            _ => Err(Unfit::Malformed),
        }
    }

    #[cfg(test)]
    fn form() -> String {
        format!("{} or none", T::form())
    }

    #[cfg(test)]
    fn any(random: &mut Random) -> Self {
        (random.below(2) == 1).then(|| T::any(random))
    }
}

impl<T: Field> Field for Vec<T> {
    fn write(&self, out: &mut Output) {
        write_list(self, out);
    }

    fn read(input: &mut Input<'_>) -> Result<Self, Unfit> {
        let count = input.count()?;
        (0..count).map(|_| T::read(input)).collect()
    }

    #[cfg(test)]
    fn form() -> String {
        format!("list of {}", T::form())
    }

    #[cfg(test)]
    fn any(random: &mut Random) -> Self {
        (0..random.below(4)).map(|_| T::any(random)).collect()
    }
}

impl Field for Spans {
    fn write(&self, out: &mut Output) {
        write_list(self, out);
    }

    fn read(input: &mut Input<'_>) -> Result<Self, Unfit> {
        let count = input.count()?;
        let spans: Result<SmallVec<_>, _> = (0..count).map(|_| Span::read(input)).collect();
        spans
    }

    #[cfg(test)]
    fn form() -> String {
        format!("list of {}", Span::form())
    }

    #[cfg(test)]
    fn any(random: &mut Random) -> Self {
        (0..random.below(4)).map(|_| Span::any(random)).collect()
    }
}

fn write_list<T: Field>(list: &[T], out: &mut Output) {
    out.number(list.len() as u64);
    for one in list {
        one.write(out);
    }
}

impl Field for Span {
    fn write(&self, out: &mut Output) {
        let &Self {
            start,
            width,
            pitch,
            rows,
        } = self;
        // Almost all are plain ranges.
        let plain = rows == 1 && pitch == width;
        out.number(u64::from(!plain));
        out.number(start);
        out.number(width);
        if !plain {
            out.number(pitch);
            out.number(rows);
        }
    }

    fn read(input: &mut Input<'_>) -> Result<Self, Unfit> {
        let form = input.number()?;
        let (start, width) = (input.number()?, input.number()?);
        let (pitch, rows) = match form {
            0 => (width, 1),
            1 => (input.number()?, input.number()?),
            _ => return Err(Unfit::Unknown),
        };
        Ok(Self {
            start,
            width,
            pitch,
            rows,
        })
    }

    #[cfg(test)]
    fn form() -> String {
        "span".to_owned()
    }

    #[cfg(test)]
    fn any(random: &mut Random) -> Self {
        let (start, width) = (random.number(), random.number());
        let plain = random.below(2) == 1;
        Self {
            start,
            width,
            pitch: if plain { width } else { random.number() },
            rows: if plain { 1 } else { random.number() },
        }
    }
}

/// Structures: their fields, one after the other. Add a field at the end of its line, and in docs/record-format.md;
/// only a `group` can be extended, because its length precedes it.
macro_rules! structures {
    ($($how:ident $name:ident, $form:literal { $($field:ident: $type:ty),* $(,)? })*) => {
        $(impl Field for $name {
            fn write(&self, out: &mut Output) {
                let Self { $($field),* } = self;
                out.$how(|out| {
                    $(<$type as Field>::write($field, out);)*
                });
            }

            fn read(input: &mut Input<'_>) -> Result<Self, Unfit> {
                input.$how(|input| Ok(Self { $($field: <$type as Field>::read(input)?),* }))
            }

            #[cfg(test)]
            fn form() -> String {
                $form.to_owned()
            }

            #[cfg(test)]
            fn any(random: &mut Random) -> Self {
                Self { $($field: <$type as Field>::any(random)),* }
            }
        })*

        /// The rows of the document: form, whether its length is before it, fields.
        #[cfg(test)]
        pub(super) fn rows() -> Vec<(&'static str, &'static str, String)> {
            vec![$((
                $form,
                stringify!($how),
                [$((stringify!($field), <$type as Field>::form())),*]
                    .map(|(name, form): (&str, String)| format!("{name}: {form}"))
                    .join(", "),
            )),*]
        }
    };
}

structures! {
    fixed Bytes, "bytes" { start: u64, bytes: u64 }
    fixed Position, "position" { stream: u64, task: u64 }
    group RankPart, "rank part" { rank: u32, what: String, caller: u64, stack: u32, also: Vec<u32> }
    group RankMessage, "rank message" { peer: u32, sends: bool, bytes: u64, element: Text }
    group Accesses, "accesses" {
        task: TaskKind,
        reads: Spans,
        writes: Spans,
        room: u64,
        name: Text,
        model: u64,
        scratch: u64,
        geared: bool,
    }
}
