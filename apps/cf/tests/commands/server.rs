//! A minimal server: a map of filters, and memory to lend.

use std::cell::Cell;
use std::collections::HashMap;
use std::rc::Rc;

use lockfree_cuckoo::layout::{Lanes, Shape};
use lockfree_cuckoo_cf::{
    Absent, Command, Error, Filter, Layout, Reply, Rules, Settings, Transfers,
};

pub(crate) const RULES: Rules = Rules {
    defaults: Settings {
        capacity: 1_000,
        expansion: 2,
        max_iterations: 20,
        layout: Layout::Shape(Shape::of::<Lanes<4, 16>>()),
        window: None,
    },
    longest: 64,
};

/// Small enough that a dump has several chunks.
pub(crate) const MAX_REQUEST: usize = 8 << 10;

const MOST: usize = 1 << 20;

/// The only client.
const CLIENT: u64 = 1;

pub(crate) struct Server {
    pub(crate) filters: HashMap<Vec<u8>, Filter>,
    transfers: Transfers<Loan>,
    lent: Rc<Cell<usize>>,
    pub(crate) memory: usize,
}

struct Loan(Rc<Cell<usize>>, usize);

impl Drop for Loan {
    fn drop(&mut self) {
        self.0.set(self.0.get() - self.1);
    }
}

impl Server {
    pub(crate) fn new() -> Self {
        Self {
            filters: HashMap::new(),
            transfers: Transfers::new(MAX_REQUEST),
            lent: Rc::default(),
            memory: usize::MAX,
        }
    }

    pub(crate) fn answer(&mut self, name: &[u8], arguments: &[&[u8]]) -> Result<Reply, Error> {
        let call = lockfree_cuckoo_cf::find(name)
            .expect("a command")
            .parse(arguments, &RULES)?;
        let found = self.filters.get_mut(call.key);
        let lend = |bytes| {
            if bytes > self.memory.saturating_sub(self.lent.get()) {
                return Err(Error::Other("no memory for dumps is left".to_owned()));
            }
            self.lent.set(self.lent.get() + bytes);
            Ok(Loan(Rc::clone(&self.lent), bytes))
        };
        let (filter, reply) = match (call.command, found) {
            (Command::Use(operation), Some(filter)) => return operation.on(filter, 0),
            (Command::Use(operation), None) => match operation.absent() {
                Absent::Reply(reply) => return reply,
                Absent::Create(settings) => {
                    let filter = Filter::new(settings, MOST, MOST)?;
                    let reply = operation.on(&filter, 0);
                    (filter, reply)
                }
            },
            (Command::Compact, Some(filter)) => {
                filter.shrink_to_fit();
                return Ok(Reply::Done);
            }
            (Command::Compact, None) => return Err(Error::NothingToCompact),
            (Command::Rotate(number), Some(filter)) => {
                let rotated = match number {
                    None => filter.rotate().map(drop),
                    Some(number) => filter.rotate_as(number).map(drop),
                };
                return rotated.map(|()| Reply::Integer(filter.rotations() as i64));
            }
            (Command::Rotate(_), None) => return Err(Error::NoFilter),
            (Command::ScanDump(iterator), Some(filter)) => {
                let chunk = self.transfers.next_chunk(filter, CLIENT, iterator, lend)?;
                return Ok(Reply::chunk(chunk));
            }
            (Command::ScanDump(_), None) => return Err(Error::NoFilter),
            (Command::Reserve(_) | Command::LoadChunk { .. }, Some(_)) => {
                return Err(Error::Exists);
            }
            (Command::Reserve(settings), None) => {
                (Filter::new(settings, MOST, MOST)?, Ok(Reply::Done))
            }
            (Command::LoadChunk { end, chunk }, None) => {
                let transfers = &self.transfers;
                let whole = transfers.take_chunk(call.key, end, chunk, MOST, lend)?;
                let Some(filter) = whole else {
                    return Ok(Reply::Done);
                };
                (filter, Ok(Reply::Done))
            }
        };
        self.filters.insert(call.key.to_vec(), filter);
        reply
    }

    /// Returns the filter of a key.
    pub(crate) fn filter(&self, key: &str) -> &Filter {
        &self.filters[key.as_bytes()]
    }

    /// Returns all that is stored of a filter but its age.
    pub(crate) fn stored(&self, key: &str) -> Vec<u8> {
        self.filter(key).ageless_dump().whole().expect("room")
    }

    pub(crate) fn forget_old(&self) {
        self.transfers.forget_old();
    }

    /// Returns the bytes that dumps in progress have borrowed.
    pub(crate) fn lent(&self) -> usize {
        self.lent.get()
    }
}
