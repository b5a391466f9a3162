//! What proves an account, and is never shown.

use std::fmt;

use crate::OptionRefused;

/// Something that is never shown: not even where it is printed for developers.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    /// Reads the file that the option `password_file` names; a line break at its end is not part of
    /// the password.
    ///
    /// # Errors
    /// When it cannot be read, or is empty.
    pub fn of_file(path: &str) -> Result<Self, OptionRefused> {
        let refused = |message| OptionRefused::new("password_file", message);
        let text =
            std::fs::read_to_string(path).map_err(|error| refused(format!("{path}: {error}")))?;
        let word = text.strip_suffix('\n').unwrap_or(&text);
        match word.strip_suffix('\r').unwrap_or(word) {
            "" => Err(refused(format!(
                "{path}: the file is empty; it holds the password and nothing else"
            ))),
            word => Ok(Self(word.to_owned())),
        }
    }

    /// What it is, for the server that is to see it.
    #[must_use]
    pub fn shown(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("(not shown)")
    }
}
