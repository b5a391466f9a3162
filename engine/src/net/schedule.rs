//! When operations of an open loop are due.
//!
//! The schedule depends on nothing but its parameters: neither on when operations were sent nor on
//! when they returned. It is never shifted and nothing is left out.

use std::f64::consts::TAU;

use weighhouse_driver_api::Operation;

use crate::clock::SECOND;
use crate::order::{Arrival, Arrivals, Profile};
use crate::workload::{Place, Random};

/// What distinguishes random numbers for arrivals from others of the same seed.
const ARRIVALS: u64 = 2;

/// Due times of one shard in one phase.
#[derive(Debug, Clone)]
pub struct Schedule {
    start: u64,
    warp: Warp,
    lanes: Vec<Lane>,
    /// The lane of the next operation.
    next: usize,
}

/// Due times of operations of one kind, or of all.
#[derive(Debug, Clone)]
struct Lane {
    operation: Option<Operation>,
    times: Times,
    due: u64,
}

#[derive(Debug, Clone)]
enum Times {
    /// Every `gap`, shards taking turns; the first one `offset` after the start, so that drivers that
    /// make a load together take turns too.
    Constant { position: u64, step: u64, gap: f64, offset: f64 },
    /// Independent exponential gaps; those of all shards together are a Poisson process again.
    Poisson { elapsed: f64, mean_gap: f64, random: Random },
}

impl Times {
    /// The next one, ns after the start at the rate that does not change.
    fn next(&mut self) -> f64 {
        match self {
            Self::Constant { position, step, gap, offset } => {
                let time = *offset + *position as f64 * *gap;
                *position += *step;
                time
            }
            Self::Poisson { elapsed, mean_gap, random } => {
                *elapsed += random.exponential() * *mean_gap;
                *elapsed
            }
        }
    }
}

/// Turns time at the steady rate into time at the changing one: where the changing rate has brought
/// about as many operations. So also of a Poisson process (time rescaling).
#[derive(Debug, Clone)]
enum Warp {
    None,
    /// ns, and a share.
    Sine {
        period: f64,
        amplitude: f64,
    },
    /// ns of a step; steady time passed at the end of each step of a round, and the factors.
    Steps {
        step: f64,
        ends: Vec<f64>,
        factors: Vec<f64>,
    },
}

impl Warp {
    fn new(profile: Option<&Profile>) -> Self {
        match profile {
            None => Self::None,
            Some(Profile::Sine { period_seconds, amplitude }) => {
                Self::Sine { period: period_seconds * SECOND as f64, amplitude: *amplitude }
            }
            Some(Profile::Steps { step_seconds, factors }) => {
                let step = step_seconds * SECOND as f64;
                let mut passed = 0.0;
                let end = |factor: &f64| {
                    passed += factor * step;
                    passed
                };
                let ends = factors.iter().map(end).collect();
                Self::Steps { step, ends, factors: factors.clone() }
            }
        }
    }

    fn time(&self, steady: f64) -> f64 {
        match self {
            Self::None => steady,
            Self::Sine { period, amplitude } => sine_time(steady, *period, *amplitude),
            Self::Steps { step, ends, factors } => {
                let round = ends.last().copied().unwrap_or(1.0);
                let rounds = (steady / round).floor();
                let rest = (steady - rounds * round).clamp(0.0, round);
                // Of steps in which nothing is due, the end does not differ from the one before.
                let index = ends.partition_point(|&end| end <= rest).min(ends.len() - 1);
                let before = if index == 0 { 0.0 } else { ends[index - 1] };
                let within =
                    if factors[index] > 0.0 { (rest - before) / factors[index] } else { 0.0 };
                (rounds * ends.len() as f64 + index as f64) * step + within
            }
        }
    }
}

/// The time t at which t + a T/2π (1 - cos(2π t/T)), the integral of 1 + a sin(2π t/T), is `steady`.
fn sine_time(steady: f64, period: f64, amplitude: f64) -> f64 {
    let swing = amplitude * period / TAU;
    let (mut low, mut high) = (steady - 2.0 * swing, steady);
    let mut time = steady - swing;
    // Newton's steps, and a halving wherever one leads out of where the answer must lie.
    for _ in 0..60 {
        let angle = TAU * time / period;
        let miss = time + swing * (1.0 - angle.cos()) - steady;
        if miss > 0.0 {
            high = time;
        } else {
            low = time;
        }
        let next = time - miss / (1.0 + amplitude * angle.sin());
        let next = if next > low && next < high { next } else { f64::midpoint(low, high) };
        if (next - time).abs() < 0.5 {
            return next;
        }
        time = next;
    }
    time
}

impl Schedule {
    /// Due times for a thread of several, ns: counted from `start` on, and none before `begin`.
    #[must_use]
    pub fn new(
        arrivals: &Arrivals<'_>,
        (start, begin): (u64, u64),
        place: Place,
        (seed, phase): (u64, u64),
    ) -> Self {
        let lane = |operation: Option<Operation>, rate: f64| {
            let gap = SECOND as f64 / rate;
            let times = match arrivals.arrival {
                Arrival::Constant => Times::Constant {
                    position: place.shard,
                    step: place.shards,
                    gap,
                    offset: gap * place.share.index as f64 / place.share.of as f64,
                },
                Arrival::Poisson => {
                    // Each kind of operation has random numbers of its own.
                    let lane = operation.map_or(0, |operation| 1 + operation.index() as u64);
                    let purpose = [ARRIVALS | (lane << 8), phase, place.purpose()];
                    Times::Poisson {
                        elapsed: 0.0,
                        mean_gap: gap * place.shards as f64,
                        random: Random::new(seed, purpose),
                    }
                }
            };
            Lane { operation, times, due: start }
        };
        let lanes = if arrivals.rates.is_empty() {
            vec![lane(None, arrivals.rate)]
        } else {
            arrivals.rates.iter().map(|&(kind, rate)| lane(Some(kind), rate)).collect()
        };
        let mut schedule = Self { start, warp: Warp::new(arrivals.profile), lanes, next: 0 };
        for lane in 0..schedule.lanes.len() {
            schedule.next = lane;
            schedule.advance();
        }
        while schedule.next() < begin {
            schedule.advance();
        }
        schedule
    }

    /// When the next operation is due.
    #[must_use]
    pub fn next(&self) -> u64 {
        self.lanes[self.next].due
    }

    /// Of what kind it is, where that is not left to the mix.
    #[must_use]
    pub fn operation(&self) -> Option<Operation> {
        self.lanes[self.next].operation
    }

    /// The next operation has been taken.
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // 2^53 ns are 104 days
    pub fn advance(&mut self) {
        let lane = &mut self.lanes[self.next];
        lane.due = self.start + self.warp.time(lane.times.next()).round() as u64;
        if self.lanes.len() > 1 {
            let due = |index: &usize| self.lanes[*index].due;
            self.next = (0..self.lanes.len()).min_by_key(due).unwrap_or(0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::order::Share;

    fn schedule(
        arrival: Arrival,
        profile: Option<&Profile>,
        (shard, shards): (u64, u64),
        rates: &[(Operation, f64)],
    ) -> Schedule {
        let arrivals = Arrivals { arrival, rate: 2000.0, profile, rates: rates.to_vec() };
        let place = Place { shard, shards, ..Place::alone() };
        Schedule::new(&arrivals, (1000, 1000), place, (7, 1))
    }

    fn take(mut schedule: Schedule, count: usize) -> Vec<u64> {
        let mut times = Vec::new();
        for _ in 0..count {
            times.push(schedule.next());
            schedule.advance();
        }
        times
    }

    fn times(arrival: Arrival, shard: u64, shards: u64, count: usize) -> Vec<u64> {
        take(schedule(arrival, None, (shard, shards), &[]), count)
    }

    #[test]
    fn constant_times_are_even_and_do_not_drift() {
        let all = times(Arrival::Constant, 0, 1, 20_001);
        assert_eq!(all[..3], [1000, 501_000, 1_001_000]);
        assert_eq!(all[20_000], 10 * SECOND + 1000);
    }

    #[test]
    fn shards_interleave_to_the_whole_schedule() {
        let mut both = times(Arrival::Constant, 0, 2, 50);
        both.extend(times(Arrival::Constant, 1, 2, 50));
        both.sort_unstable();
        assert_eq!(both, times(Arrival::Constant, 0, 1, 100));
    }

    #[test]
    fn drivers_interleave_to_an_even_schedule() {
        let of = |index| {
            let arrivals =
                Arrivals { arrival: Arrival::Constant, rate: 1000.0, profile: None, rates: vec![] };
            let place = Place { share: Share { index, of: 2 }, ..Place::alone() };
            take(Schedule::new(&arrivals, (1000, 1000), place, (7, 1)), 50)
        };
        let mut both = of(0);
        both.extend(of(1));
        both.sort_unstable();
        assert_eq!(both, times(Arrival::Constant, 0, 1, 100));
    }

    #[test]
    fn who_begins_late_has_the_rest_of_the_schedule() {
        let whole = times(Arrival::Poisson, 0, 1, 1000);
        let arrivals =
            Arrivals { arrival: Arrival::Poisson, rate: 2000.0, profile: None, rates: vec![] };
        let begin = whole[299] + 1;
        let rest = Schedule::new(&arrivals, (1000, begin), Place::alone(), (7, 1));
        assert_eq!(take(rest, 700), whole[300..]);
    }

    #[test]
    fn poisson_gaps_have_the_mean_and_the_spread_of_an_exponential() {
        let all = times(Arrival::Poisson, 0, 1, 100_000);
        let gaps: Vec<f64> = all.windows(2).map(|pair| (pair[1] - pair[0]) as f64).collect();
        let mean = gaps.iter().sum::<f64>() / gaps.len() as f64;
        let variance = gaps.iter().map(|gap| (gap - mean).powi(2)).sum::<f64>() / gaps.len() as f64;
        assert!((mean / 500_000.0 - 1.0).abs() < 0.02, "{mean}");
        assert!((variance.sqrt() / mean - 1.0).abs() < 0.02);
        assert_eq!(all, times(Arrival::Poisson, 0, 1, 100_000));
    }

    /// How many are due in each tenth of a second.
    fn by_tenths(times: &[u64], tenths: usize) -> Vec<f64> {
        let mut counts = vec![0.0; tenths];
        for time in times {
            let tenth = usize::try_from((time - 1000) / (SECOND / 10)).unwrap();
            if let Some(count) = counts.get_mut(tenth) {
                *count += 1.0;
            }
        }
        counts
    }

    #[test]
    fn a_sine_swings_about_the_rate_and_keeps_its_mean() {
        let profile = Profile::Sine { period_seconds: 2.0, amplitude: 1.0 };
        let all = take(schedule(Arrival::Constant, Some(&profile), (0, 1), &[]), 8001);
        assert!(all.windows(2).all(|pair| pair[0] <= pair[1]));
        // Two whole swings bring what four steady seconds bring.
        assert!(all[8000].abs_diff(4 * SECOND + 1000) <= 2, "{}", all[8000]);
        for (tenth, count) in by_tenths(&all, 40).into_iter().enumerate() {
            let integral = |tenths: f64| {
                let time = tenths / 10.0;
                time + (1.0 - (TAU * time / 2.0).cos()) * 2.0 / TAU
            };
            let tenth = tenth as f64;
            let expected = 2000.0 * (integral(tenth + 1.0) - integral(tenth));
            assert!((count - expected).abs() <= 1.0, "tenth {tenth}: {count} for {expected}");
        }
    }

    #[test]
    fn steps_follow_each_other_round_and_round() {
        let profile = Profile::Steps { step_seconds: 0.5, factors: vec![0.5, 0.0, 2.0] };
        let all = take(schedule(Arrival::Constant, Some(&profile), (0, 1), &[]), 5000);
        let counts = by_tenths(&all, 30);
        let expected = [100.0, 0.0, 400.0].map(|count| [count; 5]).concat().repeat(2);
        for (tenth, (count, expected)) in counts.into_iter().zip(expected).enumerate() {
            assert!(f64::abs(count - expected) <= 1.0, "tenth {tenth}: {count} for {expected}");
        }
        let all = take(schedule(Arrival::Poisson, Some(&profile), (0, 1), &[]), 250_000);
        let span = (all[249_999] - all[0]) as f64 / SECOND as f64;
        assert!((span / 150.0 - 1.0).abs() < 0.02, "{span}");
        assert!(all.iter().all(|time| !(5..10).contains(&((time - 1000) / (SECOND / 10) % 15))));
    }

    #[test]
    fn each_operation_has_its_own_rate() {
        let rates = [(Operation::Read, 1500.0), (Operation::Scan, 500.0)];
        for arrival in [Arrival::Constant, Arrival::Poisson] {
            let mut schedule = schedule(arrival, None, (0, 1), &rates);
            let (mut scans, mut last) = (0, 0);
            for _ in 0..20_000 {
                scans += u32::from(schedule.operation() == Some(Operation::Scan));
                assert!(schedule.next() >= last);
                last = schedule.next();
                schedule.advance();
            }
            assert!(scans.abs_diff(5000) < if arrival == Arrival::Constant { 2 } else { 250 });
            assert!((last as f64 / SECOND as f64 - 10.0).abs() < 0.3);
        }
    }
}
