//! The engines whose tables can be in memory that processes share.

use alloc::vec::Vec;

use crate::allocate;
use crate::codec::header::HeaderFields;
use crate::engine::plan::Plan;
use crate::error::SharedError;
use crate::fixed;
use crate::fixed::Fixed;
use crate::kernel::layout::Layout;
use crate::rotating;
use crate::rotating::Rotating;
use crate::rotating::state::{AtomicState, State};
use crate::shared::block::Sizes;
use crate::shared::engine::{Attached, Shareable, Shared};

impl<L: Layout> Shareable for Fixed<L> {
    const SPARES: usize = 0;

    fn shape_of(plan: &Plan) -> Result<Shared, SharedError> {
        let (geometry, capacity) = plan.size()?.geometry::<L>()?;
        let numbers = HeaderFields {
            own: [capacity as u64, 0],
            search_budget: plan.search_budget(fixed::DEFAULT_BUDGET)?,
            tables: 1,
        };
        let sizes = Sizes::of(geometry.buckets(), L::FINGERPRINT_BITS, numbers.tables);
        Ok(Shared {
            numbers,
            sizes,
            state: 0,
        })
    }

    fn in_memory(attached: &Attached<'_>) -> Result<Self, SharedError> {
        let capacity = attached.shared.numbers.own[0] as usize;
        Ok(Self {
            table: attached.table(0)?,
            capacity,
        })
    }
}

impl<L: Layout> Shareable for Rotating<L> {
    const SPARES: usize = 1;

    fn shape_of(plan: &Plan) -> Result<Shared, SharedError> {
        let (geometry, capacity) = plan.size()?.geometry::<L>()?;
        let numbers = HeaderFields {
            own: [capacity as u64, 0],
            search_budget: plan.search_budget(rotating::DEFAULT_BUDGET)?,
            tables: rotating::generations(plan)?,
        };
        let sizes = Sizes::of(
            geometry.buckets(),
            L::FINGERPRINT_BITS,
            numbers.tables + Self::SPARES,
        );
        Ok(Shared {
            numbers,
            sizes,
            state: State::new(0, sizes.tables).into_bits(),
        })
    }

    fn in_memory(attached: &Attached<'_>) -> Result<Self, SharedError> {
        let tables = attached.shared.sizes.tables;
        rotating::check_generations(tables - Self::SPARES)?;
        let mut built = Vec::new();
        allocate::grow(&mut built, tables)?;
        for number in 0..tables {
            built.push(attached.table(number)?);
        }
        let state = AtomicState::of_processes(attached.state(), tables);
        let capacity = attached.shared.numbers.own[0] as usize;
        Ok(Self::of_state(state, built, capacity)?)
    }
}
