//! What the machine does to the driver: processor time that the hypervisor took.

use std::fs;

/// Reads `/proc/stat`.
#[derive(Debug, Default)]
pub(crate) struct StealMeter {
    last: Option<(u64, u64)>,
}

/// (stolen, all) ticks of all processors, from the text of `/proc/stat`.
fn ticks(text: &str) -> Option<(u64, u64)> {
    let mut fields = text.lines().next()?.split_ascii_whitespace();
    if fields.next()? != "cpu" {
        return None;
    }
    // user nice system idle iowait irq softirq steal; guest times are part of user's.
    let ticks: Vec<u64> = fields.take(8).map_while(|field| field.parse().ok()).collect();
    Some((*ticks.get(7)?, ticks.iter().sum()))
}

impl StealMeter {
    /// Percent of all processor time since the last call that was stolen; 0 where nobody tells.
    pub(crate) fn percent(&mut self) -> f64 {
        let now = fs::read_to_string("/proc/stat").ok().as_deref().and_then(ticks);
        let before = std::mem::replace(&mut self.last, now);
        match (before, now) {
            (Some((stolen, all)), Some((stolen_now, all_now))) if all_now > all => {
                100.0 * stolen_now.saturating_sub(stolen) as f64 / (all_now - all) as f64
            }
            _ => 0.0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steal_is_the_eighth_field() {
        assert_eq!(ticks("cpu  10 20 30 40 5 6 7 82 0 0\ncpu0 1"), Some((82, 200)));
        assert_eq!(ticks("cpu 1 2"), None);
        assert_eq!(ticks(""), None);
    }

    #[test]
    fn the_first_reading_has_nothing_to_compare_with() {
        assert!(StealMeter::default().percent().abs() < f64::EPSILON);
    }
}
