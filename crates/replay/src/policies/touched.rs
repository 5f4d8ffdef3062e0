//! Pages that are taken when a block first lies on them.

/// The pages of a range that a block has ever lain on: what an arena over a large range of addresses
/// holds that takes pages as it needs them and gives none back.
#[derive(Debug, Default)]
pub struct Touched {
    words: Vec<u64>,
    pages: u64,
}

const PAGE_SHIFT: u32 = 21;

impl Touched {
    /// A block lies here.
    pub fn add(&mut self, start: u64, bytes: u64) {
        for page in start >> PAGE_SHIFT..=(start + bytes.max(1) - 1) >> PAGE_SHIFT {
            let (word, bit) = ((page / 64) as usize, 1 << (page % 64));
            if self.words.len() <= word {
                self.words.resize(word + 1, 0);
            }
            if self.words[word] & bit == 0 {
                self.words[word] |= bit;
                self.pages += 1;
            }
        }
    }

    /// Bytes of all these pages.
    pub fn bytes(&self) -> u64 {
        self.pages << PAGE_SHIFT
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_are_counted_once() {
        let mut touched = Touched::default();
        touched.add(0, 512);
        touched.add((2 << 20) - 512, 1024);
        assert_eq!(touched.bytes(), 4 << 20);
        touched.add(0, 512);
        assert_eq!(touched.bytes(), 4 << 20);
    }
}
