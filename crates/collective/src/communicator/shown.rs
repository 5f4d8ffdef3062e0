//! What a rank with an observer shows the others of its calls: the first one of each line, and the last one of all.

use std::collections::VecDeque;

use super::{Communicator, Line, Queue, Shown, Work};
use crate::board::{Front, QUEUED, REACHED, STARTED};
use crate::operation::{Description, Request};
use crate::transfers::Transfers;
use crate::trouble::Caller;

impl Communicator {
    /// Shows a call, where it is first in its lines.
    pub(super) fn show_call(
        &self,
        queue: &mut Queue,
        number: u64,
        request: &Request,
        caller: &Caller,
        lines: &[Line],
    ) {
        let what = match request {
            Request::Group(group) => Description::new(group, "").summary(),
            Request::Transfers(transfers) => Transfers::title(transfers),
        };
        let last = Front {
            number,
            lane: caller.lane,
            index: 0,
            state: QUEUED,
            what: what.clone(),
            site: caller.site.clone(),
        };
        self.board.set_last(self.rank, &last);
        let caller = caller.clone();
        let shown = Shown {
            what,
            caller,
            is_reached: false,
        };
        queue.shown.insert(number, shown);
        self.show_lines(queue, lines);
    }

    /// Shows what is first in each of these lines.
    pub(super) fn show_lines(&self, queue: &Queue, lines: &[Line]) {
        if self.settings.observer.is_none() {
            return;
        }
        for line in lines {
            let first = queue.lines.get(line).and_then(VecDeque::front);
            let front = first.and_then(|number| {
                let shown = queue.shown.get(number)?;
                let (state, index) = match queue.begun.get(number).map(|begun| &begun.work) {
                    None | Some(Work::Waiting { .. }) => {
                        let state = if shown.is_reached { REACHED } else { QUEUED };
                        (state, queue.groups)
                    }
                    Some(Work::Group(_)) => (STARTED, queue.groups.saturating_sub(1)),
                    Some(Work::Transfers(_, targets)) => {
                        let target = targets.iter().find(|(known, _)| known == line);
                        (STARTED, target.map_or(0, |(_, target)| *target))
                    }
                };
                Some(Front {
                    number: *number,
                    lane: shown.caller.lane,
                    index,
                    state,
                    what: shown.what.clone(),
                    site: shown.caller.site.clone(),
                })
            });
            let (board, rank, front) = (&self.board, self.rank, front.as_ref());
            match *line {
                Line::Group => board.set_group_front(rank, front),
                Line::To(peer) => board.set_send_front(rank, peer as usize, front),
                Line::From(peer) => board.set_receive_front(peer as usize, rank, front),
            }
        }
    }
}
