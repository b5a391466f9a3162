//! Scattering numbers one to one: by a factor without a common divisor with their count.

/// A number without a common divisor with another one, large and odd: what ranks times it leave
/// modulo the other is every remainder once.
pub(super) fn stride_for(count: u64) -> u64 {
    const FIRST: u64 = 0x9E37_79B9_7F4A_7C15;
    let mut stride = FIRST;
    let divisor = |mut one: u64, mut other: u64| {
        while other > 0 {
            (one, other) = (other, one % other);
        }
        one
    };
    while divisor(stride, count) != 1 {
        stride -= 2;
    }
    stride
}

/// A number that shuffles, and the one that undoes it: their product leaves 1.
pub(super) fn shuffle(count: u64) -> (u64, u64) {
    let stride = stride_for(count) % count.max(1);
    let (mut rest, mut last) = (i128::from(stride), i128::from(count));
    let (mut factor, mut before) = (1_i128, 0_i128);
    while last != 0 {
        let times = rest / last;
        (rest, last) = (last, rest - times * last);
        (factor, before) = (before, factor - times * before);
    }
    let back = factor.rem_euclid(i128::from(count));
    (stride, u64::try_from(back).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_factor_scatters_one_to_one_and_the_other_brings_back() {
        for count in [1_u64, 2, 7, 64, 1000, 30_030] {
            let (stride, back) = shuffle(count);
            let mut seen = std::collections::HashSet::new();
            for number in 0..count {
                let place = number * stride % count;
                assert!(seen.insert(place), "{count}: {number}");
                assert_eq!(place * back % count, number, "{count}");
            }
        }
    }
}
