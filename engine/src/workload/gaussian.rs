//! Keys of a bell: a normal distribution, as memtier's `--key-pattern=G:G` draws it.

use super::random::Random;

/// A normal distribution over places from 0, cut off at both ends: what falls beyond them is drawn
/// again, so that no place at an end is more frequent than the bell has it.
#[derive(Debug, Clone)]
pub struct Gaussian {
    median: f64,
    stddev: f64,
    count: u64,
    /// The second of two numbers that were drawn together.
    spare: Option<f64>,
}

impl Gaussian {
    /// Over a number of places, with both parameters as shares of it. With a deviation of the whole
    /// at an end, one draw in three falls into it.
    #[must_use]
    pub fn over(count: u64, median: f64, stddev: f64) -> Self {
        let places = count as f64;
        Self { median: median * places, stddev: stddev * places, count, spare: None }
    }

    /// A place below the number of places.
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // within the places
    pub fn draw(&mut self, random: &mut Random) -> u64 {
        loop {
            let place = self.median + self.stddev * self.normal(random);
            if (0.0..self.count as f64).contains(&place) {
                return (place as u64).min(self.count - 1);
            }
        }
    }

    /// A standard normal number, by the polar method (Marsaglia and Bray 1964): of a point in the
    /// unit circle come two.
    fn normal(&mut self, random: &mut Random) -> f64 {
        if let Some(spare) = self.spare.take() {
            return spare;
        }
        loop {
            let (one, other) = (2.0 * random.unit() - 1.0, 2.0 * random.unit() - 1.0);
            let square = one * one + other * other;
            if square > 0.0 && square < 1.0 {
                let factor = (-2.0 * square.ln() / square).sqrt();
                self.spare = Some(other * factor);
                return one * factor;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The distribution function of the standard normal, by the trapezoidal rule from 0: exact to
    /// 10⁻⁹, and not by what is tested.
    fn phi(at: f64) -> f64 {
        let steps = 20_000;
        let width = at / f64::from(steps);
        let density = |x: f64| (-x * x / 2.0).exp() / std::f64::consts::TAU.sqrt();
        let inner: f64 = (1..steps).map(|step| density(f64::from(step) * width)).sum();
        0.5 + width * (inner + f64::midpoint(density(0.0), density(at)))
    }

    fn counts(bell: &Gaussian, seed: u64, draws: u32) -> Vec<u32> {
        let (mut bell, mut random) = (bell.clone(), Random::new(seed, [0; 3]));
        let mut counts = vec![0_u32; usize::try_from(bell.count).unwrap()];
        for _ in 0..draws {
            counts[usize::try_from(bell.draw(&mut random)).unwrap()] += 1;
        }
        counts
    }

    #[test]
    fn places_pass_chi_square_at_every_median_and_seed() {
        let (places, draws) = (100_u32, 300_000_u32);
        for (median, stddev) in [(0.5, 1.0 / 6.0), (0.2, 0.1), (0.0, 0.3), (1.0, 1.0), (0.73, 0.02)]
        {
            let bell = Gaussian::over(u64::from(places), median, stddev);
            let below = |place: f64| phi((place - bell.median) / bell.stddev);
            let all = below(f64::from(places)) - below(0.0);
            let shares: Vec<f64> = (0..places)
                .map(|place| (below(f64::from(place) + 1.0) - below(f64::from(place))) / all)
                .collect();
            for seed in 1..=5 {
                let counts = counts(&bell, seed, draws);
                // What is too rare for the test is taken together.
                let (mut found, mut degrees, mut rare) = (0.0, -1.0, (0.0, 0.0));
                for (&count, share) in counts.iter().zip(&shares) {
                    let expected = share * f64::from(draws);
                    if expected < 10.0 {
                        rare = (rare.0 + f64::from(count), rare.1 + expected);
                    } else {
                        found += (f64::from(count) - expected).powi(2) / expected;
                        degrees += 1.0;
                    }
                }
                if rare.1 >= 10.0 {
                    found += (rare.0 - rare.1).powi(2) / rare.1;
                    degrees += 1.0;
                }
                // The 99.99 % point, by Wilson and Hilferty (1931).
                let part: f64 = 2.0 / (9.0 * degrees);
                let limit = degrees * (1.0 - part + 3.72 * part.sqrt()).powi(3);
                assert!(found < limit, "{median}, {stddev}, seed {seed}: {found} of {limit}");
            }
        }
    }

    #[test]
    fn moments_are_those_of_the_bell_over_seeds() {
        let bell = Gaussian::over(1_000_000_000_000, 0.5, 0.1);
        for seed in 1..=5 {
            let (mut bell, mut random) = (bell.clone(), Random::new(seed, [0; 3]));
            let draws = 200_000;
            let sizes: Vec<f64> =
                (0..draws).map(|_| bell.draw(&mut random) as f64 / 1e12 - 0.5).collect();
            let moment = |power: i32| {
                sizes.iter().map(|size| (size / 0.1).powi(power)).sum::<f64>() / f64::from(draws)
            };
            // Five standard errors of each.
            for (power, expected, error) in
                [(1, 0.0, 1.0), (2, 1.0, 2.0_f64.sqrt()), (3, 0.0, 15.0_f64.sqrt()), (4, 3.0, 9.8)]
            {
                let off = (moment(power) - expected).abs();
                assert!(off < 5.0 * error / f64::from(draws).sqrt(), "{power}: {off}");
            }
        }
    }

    #[test]
    fn one_place_is_the_only_one() {
        let mut bell = Gaussian::over(1, 1.0, 1e-9);
        // Half of the bell lies within.
        assert_eq!(bell.draw(&mut Random::new(1, [0; 3])), 0);
    }
}
