//! Writes pickles of protocol 2, with the instructions that every reader knows, `memory_viz` included.

use std::collections::HashMap;
use std::io::{self, Write};

/// Names an object that was written before.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Memo(u32);

pub(super) struct Pickle<'a> {
    out: &'a mut dyn Write,
    texts: HashMap<String, Memo>,
    memos: u32,
}

impl<'a> Pickle<'a> {
    pub(super) fn begin(out: &'a mut dyn Write) -> io::Result<Self> {
        out.write_all(b"\x80\x02")?;
        Ok(Self {
            out,
            texts: HashMap::new(),
            memos: 0,
        })
    }

    pub(super) fn end(self) -> io::Result<()> {
        self.out.write_all(b".")
    }

    fn put(&mut self) -> io::Result<Memo> {
        let number = self.memos;
        self.memos += 1;
        if let Ok(small) = u8::try_from(number) {
            self.out.write_all(&[b'q', small])?;
        } else {
            self.out.write_all(b"r")?;
            self.out.write_all(&number.to_le_bytes())?;
        }
        Ok(Memo(number))
    }

    pub(super) fn again(&mut self, memo: Memo) -> io::Result<()> {
        if let Ok(small) = u8::try_from(memo.0) {
            return self.out.write_all(&[b'h', small]);
        }
        self.out.write_all(b"j")?;
        self.out.write_all(&memo.0.to_le_bytes())
    }

    /// A list: write its items, then [`Pickle::close_list`].
    pub(super) fn list(&mut self) -> io::Result<Memo> {
        self.out.write_all(b"]")?;
        let memo = self.put()?;
        self.out.write_all(b"(")?;
        Ok(memo)
    }

    pub(super) fn close_list(&mut self) -> io::Result<()> {
        self.out.write_all(b"e")
    }

    /// Appends what was written so far, so that readers do not keep it on their stack.
    pub(super) fn next_items(&mut self) -> io::Result<()> {
        self.out.write_all(b"e(")
    }

    /// A dictionary: write keys and values, then [`Pickle::close_dict`].
    pub(super) fn dict(&mut self) -> io::Result<Memo> {
        self.out.write_all(b"}")?;
        let memo = self.put()?;
        self.out.write_all(b"(")?;
        Ok(memo)
    }

    pub(super) fn close_dict(&mut self) -> io::Result<()> {
        self.out.write_all(b"u")
    }

    pub(super) fn text(&mut self, text: &str) -> io::Result<()> {
        if let Some(&memo) = self.texts.get(text) {
            return self.again(memo);
        }
        let length = u32::try_from(text.len()).map_err(|_| io::Error::other("a text of 4 GiB"))?;
        self.out.write_all(b"X")?;
        self.out.write_all(&length.to_le_bytes())?;
        self.out.write_all(text.as_bytes())?;
        let memo = self.put()?;
        self.texts.insert(text.to_owned(), memo);
        Ok(())
    }

    pub(super) fn number(&mut self, number: u64) -> io::Result<()> {
        if let Ok(small) = u8::try_from(number) {
            return self.out.write_all(&[b'K', small]);
        }
        if let Ok(number) = i32::try_from(number) {
            self.out.write_all(b"J")?;
            return self.out.write_all(&number.to_le_bytes());
        }
        // A ninth byte keeps the sign positive.
        let mut bytes = number.to_le_bytes().to_vec();
        bytes.push(0);
        while let [.., next, 0] = bytes[..]
            && next < 0x80
        {
            bytes.pop();
        }
        self.out
            .write_all(&[0x8A, u8::try_from(bytes.len()).unwrap_or(9)])?;
        self.out.write_all(&bytes)
    }

    pub(super) fn bool(&mut self, yes: bool) -> io::Result<()> {
        self.out.write_all(if yes { b"\x88" } else { b"\x89" })
    }

    /// A key with a number.
    pub(super) fn field(&mut self, key: &str, number: u64) -> io::Result<()> {
        self.text(key)?;
        self.number(number)
    }

    /// A key with a text.
    pub(super) fn named(&mut self, key: &str, text: &str) -> io::Result<()> {
        self.text(key)?;
        self.text(text)
    }
}
