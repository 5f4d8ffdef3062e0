//! Allocators that are linked as they are. None of them knows streams, so each stream gets an arena.

pub(crate) mod gpu;
pub(crate) mod offset;
pub(crate) mod rlsf;

#[cfg(test)]
mod tests {
    use millpond_replay::policies::per_stream::PerStream;
    use millpond_replay::policy::Policy;

    use super::*;

    fn policies() -> Vec<(&'static str, Box<dyn Policy>)> {
        vec![
            (
                "offset-allocator",
                Box::new(PerStream::<offset::Offset>::new(u64::MAX)),
            ),
            ("rlsf", Box::new(PerStream::<rlsf::Rlsf>::new(u64::MAX))),
            (
                "gpu-allocator",
                Box::new(PerStream::<gpu::Gpu>::new(u64::MAX)),
            ),
        ]
    }

    #[test]
    fn blocks_of_a_peer_do_not_overlap_and_are_reused() {
        for (name, mut policy) in policies() {
            let sizes = [700_u64, 3 << 20, 512, 300 << 20];
            let starts: Vec<u64> = sizes
                .iter()
                .map(|it| policy.alloc(0, *it).unwrap())
                .collect();
            for (one, (start, bytes)) in starts.iter().zip(sizes).enumerate() {
                for (other, begin) in starts.iter().enumerate() {
                    let inside = (*start..start + bytes).contains(begin);
                    assert!(one == other || !inside, "{name}");
                }
            }
            let held = policy.reserved();
            assert!(held >= sizes.iter().sum(), "{name}");
            for start in &starts {
                policy.free(*start, 0);
            }
            for bytes in sizes {
                policy.alloc(0, bytes).unwrap();
            }
            assert_eq!(policy.reserved(), held, "{name}");
        }
    }

    #[test]
    fn streams_do_not_share_and_uses_are_waited_for() {
        for (name, mut policy) in policies() {
            policy.begin(0);
            let block = policy.alloc(0, 1 << 20).unwrap();
            policy.free(block, 0);
            assert_ne!(policy.alloc(1, 1 << 20), Some(block), "{name}");
            assert_eq!(policy.alloc(0, 1 << 20), Some(block), "{name}");
            // Half of it fits best where it was, and nowhere else so well.
            let lies_there = |policy: &mut dyn Policy| {
                let half = policy.alloc(0, 512 << 10).unwrap();
                (block..block + (1 << 20)).contains(&half)
            };
            assert!(!lies_there(policy.as_mut()), "{name}: it is live");
            policy.alloc(0, 1 << 20).unwrap();
            policy.record_use(block, 1);
            policy.free(block, 0);
            assert!(
                !lies_there(policy.as_mut()),
                "{name}: stream 1 has not passed"
            );
            policy.synchronize(1);
            assert!(lies_there(policy.as_mut()), "{name}");
        }
    }
}
