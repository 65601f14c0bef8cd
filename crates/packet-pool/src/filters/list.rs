//! The generations of a run, one after the other.

use super::generation::Generation;
use super::maker::Maker;
use lockfree_cuckoo::BuildError;
use once_cell::race::OnceBox;
use std::sync::Arc;

/// A place in the list of all generations. A clone is a place of its own in the same list.
///
/// It goes forward only, and what lies behind the last place is freed: a slow worker costs memory, not time.
#[derive(Clone)]
pub(super) struct Place {
    node: Arc<Node>,
    maker: Maker,
}

/// A generation in the list. Whoever needs the next one first makes it; of several
/// who do, one has its own put into the list, and nobody waits.
struct Node {
    generation: Arc<Generation>,
    next: OnceBox<Arc<Node>>,
}

impl Node {
    fn new(generation: Generation) -> Arc<Self> {
        Arc::new(Self {
            generation: Arc::new(generation),
            next: OnceBox::new(),
        })
    }
}

impl Place {
    /// The place of period 0.
    pub(super) fn first(maker: &Maker) -> Result<Self, BuildError> {
        Ok(Self {
            node: Node::new(Generation::first(maker)?),
            maker: maker.clone(),
        })
    }

    /// Goes to the generation of a period.
    pub(super) fn advance(&mut self, period: u64) -> Result<&Arc<Generation>, BuildError> {
        while self.node.generation.number < period {
            let next = self.node.next.get_or_try_init(|| {
                let following = self.node.generation.following(&self.maker)?;
                Ok(Box::new(Node::new(following)))
            })?;
            self.node = Arc::clone(next);
        }
        Ok(&self.node.generation)
    }
}

impl Drop for Place {
    /// Goes to the end, for a long list would be dropped by as deep a recursion.
    fn drop(&mut self) {
        while let Some(next) = self.node.next.get().cloned() {
            self.node = next;
        }
    }
}
