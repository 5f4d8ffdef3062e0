//! Returns idle pages to the device.

use super::{Ground, Piece, State};
use crate::pages::Pages;

/// Pages that are being returned to the device: see [`crate::Pool::begin_return`].
#[derive(Debug)]
pub struct Leaving {
    /// The pages.
    pub pages: Pages,
    pub(super) piece: u32,
}

impl Ground {
    /// Takes idle pages out of use so that they can be returned to the device: pages for which `may` holds and `keep`
    /// does not, at most `limit` bytes, the highest first.
    pub(crate) fn begin_return(
        &mut self,
        limit: u64,
        may: impl Fn(&Piece) -> bool,
        keep: impl Fn(Pages) -> bool,
    ) -> Vec<Leaving> {
        let size = self.page;
        let free = self.runs(|piece| piece.state == State::Free && may(piece));
        let mut runs = Vec::new();
        for run in &free {
            if let Some(pages) = size.inside(run.start, run.end - run.start) {
                let each = size.each(pages).filter(|page| !keep(*page));
                runs.extend(size.runs(each.map(|page| size.at(page.offset))));
            }
        }
        runs.sort_unstable_by_key(|pages| std::cmp::Reverse(pages.offset));
        let mut left = size.at(limit);
        let mut going = Vec::new();
        for pages in runs {
            let count = size.at(pages.bytes).min(left);
            left -= count;
            // From the end of the run, so that the remaining pages are at low addresses.
            let behind = size.at(pages.offset + pages.bytes);
            going.extend(behind - count..behind);
        }
        let mut leaving = Vec::new();
        // Complete for all streams, so no stream has to wait.
        let going = going
            .into_iter()
            .map(|page| (size.start(page), size.start(page + 1)));
        for piece in self.lend(going.collect(), &free, |_| 0) {
            self.piece_mut(piece).state = State::Leaving;
            let pages = Pages {
                offset: self.piece(piece).offset,
                bytes: self.piece(piece).bytes,
            };
            leaving.push(Leaving { pages, piece });
        }
        leaving
    }

    /// The device took the pages back, or it failed and they stay in the pool.
    pub(crate) fn end_return(&mut self, leaving: &Leaving, returned: bool) {
        if returned {
            self.backed -= self.page.at(leaving.pages.bytes);
            self.windows.unmap(leaving.pages);
            self.make_void(leaving.piece);
        } else {
            let (owner, since) = {
                let piece = self.piece(leaving.piece);
                (piece.owner, piece.since)
            };
            self.make_free(leaving.piece, owner, since);
        }
    }
}
