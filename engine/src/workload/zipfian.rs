//! YCSB's zipfian, bit for bit: Gray et al., "Quickly Generating Billion-Record Synthetic
//! Databases", SIGMOD 1994, with YCSB's constants.

use super::random::Random;

/// YCSB's own exponent.
const THETA: f64 = 0.99;

/// Items that YCSB's `ScrambledZipfianGenerator` draws ranks from.
const SCRAMBLED: u64 = 10_000_000_001;

/// Terms that zeta is summed over one by one; what lies beyond is added by the Euler-Maclaurin
/// formula, whose error there is below the rounding of the sum.
const EXACT_TERMS: u64 = 1_000_000;

/// The same where each client sums them anew: what the formula leaves out is below rounding, too.
const FEW_TERMS: u64 = 10_000;

/// Constants of a distribution over a number of items.
#[derive(Debug, Clone, Copy)]
pub struct Skew {
    items: u64,
    theta: f64,
    zeta: f64,
    eta: f64,
}

/// `sum(1 / i^theta)` for i in 1..=items; theta is below 1, and so many terms are summed at most.
fn zeta(items: u64, theta: f64, terms: u64) -> f64 {
    let exact = items.min(terms);
    let mut sum = 0.0;
    for item in 1..=exact {
        sum += 1.0 / (item as f64).powf(theta);
    }
    if items > exact {
        let (from, to) = (exact as f64, items as f64);
        let integral = (to.powf(1.0 - theta) - from.powf(1.0 - theta)) / (1.0 - theta);
        let ends = (to.powf(-theta) - from.powf(-theta)) / 2.0;
        let slopes = theta * (from.powf(-theta - 1.0) - to.powf(-theta - 1.0)) / 12.0;
        sum += integral + ends + slopes;
    }
    sum
}

impl Skew {
    /// Over a number of items.
    #[must_use]
    pub fn over(items: u64) -> Self {
        Self::with_zeta(items, THETA, zeta(items, THETA, EXACT_TERMS))
    }

    /// What YCSB's `ScrambledZipfianGenerator` draws ranks from: 10^10 + 1 items, with the zeta of
    /// 10^10 that stands in its source. With another exponent YCSB adds up all terms of zeta one
    /// by one, which takes minutes; here that is a formula.
    #[must_use]
    pub fn scrambled(theta: f64) -> Self {
        #[allow(clippy::float_cmp)] // YCSB compares them so, too
        let own = theta == THETA;
        let zeta = if own { 26.469_028_201_783_02 } else { zeta(SCRAMBLED, theta, FEW_TERMS) };
        Self::with_zeta(SCRAMBLED, theta, zeta)
    }

    fn with_zeta(items: u64, theta: f64, zeta: f64) -> Self {
        let zeta_of_two = 1.0 + 0.5_f64.powf(theta);
        let eta = (1.0 - (2.0 / items as f64).powf(1.0 - theta)) / (1.0 - zeta_of_two / zeta);
        Self { items, theta, zeta, eta }
    }

    /// The same for more items. Unlike YCSB's, eta follows the items too.
    #[must_use]
    pub fn grown_to(self, items: u64) -> Self {
        let mut zeta = self.zeta;
        for item in self.items + 1..=items {
            zeta += 1.0 / (item as f64).powf(self.theta);
        }
        Self::with_zeta(items, self.theta, zeta)
    }

    /// Number of items.
    #[must_use]
    pub fn items(&self) -> u64 {
        self.items
    }
}

/// Draws ranks: 0 is the most popular.
#[derive(Debug, Clone, Copy)]
pub struct Zipfian {
    skew: Skew,
    alpha: f64,
    second: f64,
}

impl Zipfian {
    /// Draws from a distribution.
    #[must_use]
    pub fn new(skew: Skew) -> Self {
        let theta = skew.theta;
        Self { skew, alpha: 1.0 / (1.0 - theta), second: 1.0 + 0.5_f64.powf(theta) }
    }

    /// Number of items.
    #[must_use]
    pub fn items(&self) -> u64 {
        self.skew.items
    }

    /// Goes on with more items.
    pub fn grow(&mut self, items: u64) {
        self.skew = self.skew.grown_to(items);
    }

    /// A rank below the number of items.
    pub fn draw(&self, random: &mut Random) -> u64 {
        self.rank(random.unit())
    }

    /// The rank that a number in [0, 1) stands for.
    #[must_use]
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // Java's cast truncates too
    pub fn rank(&self, unit: f64) -> u64 {
        let scaled = unit * self.skew.zeta;
        if scaled < 1.0 {
            return 0;
        }
        if scaled < self.second {
            return 1;
        }
        let eta = self.skew.eta;
        (self.skew.items as f64 * (eta * unit - eta + 1.0).powf(self.alpha)) as u64
    }
}

/// A true Zipf: rank `k` (from 1) has a share in proportion to `k^-theta`, for any theta above 0.
///
/// Rejection-inversion (Hörmann and Derflinger, "Rejection-inversion to generate variates from
/// monotone discrete distributions", ACM TOMACS 6(3), 1996): exact, and as fast over any number of
/// items.
#[derive(Debug, Clone, Copy)]
pub struct Zipf {
    items: f64,
    theta: f64,
    /// The integral of the density's hat at the upper end and at the lower one.
    upper: f64,
    lower: f64,
    /// Within this distance of a rank nothing is ever rejected.
    sure: f64,
}

impl Zipf {
    /// Over ranks 1 to `items`.
    #[must_use]
    pub fn new(items: u64, theta: f64) -> Self {
        let mut zipf = Self { items: items as f64, theta, upper: 0.0, lower: 0.0, sure: 0.0 };
        zipf.lower = zipf.integral(1.5) - 1.0;
        zipf.upper = zipf.integral(zipf.items + 0.5);
        zipf.sure = 2.0 - zipf.inverse(zipf.integral(2.5) - zipf.density(2.0));
        zipf
    }

    fn density(&self, x: f64) -> f64 {
        (-self.theta * x.ln()).exp()
    }

    /// The integral of the density from 1 to `x`: (x^(1-theta) - 1) / (1-theta), ln x for theta 1.
    fn integral(&self, x: f64) -> f64 {
        let (log, power) = (x.ln(), 1.0 - self.theta);
        if (power * log).abs() < 1e-8 { log } else { (power * log).exp_m1() / power }
    }

    /// The inverse of [`Zipf::integral`].
    fn inverse(&self, y: f64) -> f64 {
        let power = 1.0 - self.theta;
        // Rounding may lead a little below what the logarithm takes.
        let argument = (power * y).max(-1.0);
        if argument.abs() < 1e-8 { y.exp() } else { (argument.ln_1p() / power).exp() }
    }

    /// A rank from 0 on: 0 is the most popular.
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // between 1 and items
    pub fn draw(&self, random: &mut Random) -> u64 {
        loop {
            let area = self.upper + random.unit() * (self.lower - self.upper);
            let x = self.inverse(area);
            let rank = x.round().clamp(1.0, self.items);
            if rank - x <= self.sure || area >= self.integral(rank + 0.5) - self.density(rank) {
                return rank as u64 - 1;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zeta_beyond_the_exact_terms_is_ycsbs_constant() {
        let found = zeta(10_000_000_000, THETA, EXACT_TERMS);
        assert!((found - 26.469_028_201_783_02).abs() < 1e-6, "{found}");
    }

    /// Numbers in [0, 1) and the ranks that YCSB 0.17.0's `ZipfianGenerator(0, 10^10, 0.5)`, which
    /// adds up zeta term by term, has for them.
    const RANKS_OF_A_HALF: [(f64, u64); 11] = [
        (0.0, 0),
        (4.0e-6, 0),
        (1.0e-5, 2),
        (1.0e-4, 111),
        (0.001, 10_112),
        (0.01, 1_001_110),
        (0.1, 100_010_092),
        (0.25, 625_021_024),
        (0.5, 2_500_028_033),
        (0.9, 8_100_010_092),
        (0.99, 9_801_001_111),
    ];

    #[test]
    fn another_constant_draws_as_ycsbs_generator_with_it() {
        let zipfian = Zipfian::new(Skew::scrambled(0.5));
        for (unit, rank) in RANKS_OF_A_HALF {
            assert_eq!(zipfian.rank(unit), rank, "{unit}");
        }
    }

    #[test]
    fn growing_gives_what_starting_with_more_gives() {
        let grown = Skew::over(1000).grown_to(5000);
        let fresh = Skew::over(5000);
        assert!((grown.zeta - fresh.zeta).abs() < 1e-9);
        assert!((grown.eta - fresh.eta).abs() < 1e-12);
    }

    #[test]
    fn ranks_follow_the_formula() {
        let zipfian = Zipfian::new(Skew::scrambled(THETA));
        assert_eq!(zipfian.rank(0.0), 0);
        assert_eq!(zipfian.rank(1.0 / 26.469_028_201_783_02 + 1e-6), 1);
        // The last one may round up to the number of items, in Java too.
        assert!(zipfian.rank(1.0 - f64::EPSILON) <= 10_000_000_001);
    }

    #[test]
    fn the_first_ranks_have_their_shares() {
        let skew = Skew::over(1000);
        let zipfian = Zipfian::new(skew);
        let mut random = Random::new(11, [0; 3]);
        let mut counts = [0_u32; 2];
        let draws = 400_000;
        for _ in 0..draws {
            if let Some(count) = counts.get_mut(usize::try_from(zipfian.draw(&mut random)).unwrap())
            {
                *count += 1;
            }
        }
        for (rank, count) in counts.into_iter().enumerate() {
            let expected = 1.0 / (rank as f64 + 1.0).powf(THETA) / skew.zeta;
            let found = f64::from(count) / f64::from(draws);
            assert!((found / expected - 1.0).abs() < 0.02, "rank {rank}: {found} for {expected}");
        }
    }
}
