//! Which feed, and which way to phones. Secrets come from the environment or from a file.

use crate::feed::{SportMonks, SportMonksOptions};
use crate::push::{Apns, ApnsOptions, LogSender, ProviderKey, PushSender};
use singlet::Clock;
use singlet_web::random::Random;
use std::ffi::OsString;
use std::sync::Arc;

const SPORTMONKS_BASE: &str = "https://cricket.sportmonks.com/api/v2.0";
const APNS_BASE: &str = "https://api.push.apple.com";
const APNS_SANDBOX_BASE: &str = "https://api.sandbox.push.apple.com";

/// Not shown anywhere: values may be secrets.
pub struct Settings {
    variables: Vec<(String, String)>,
}

impl Settings {
    /// Reads the variables that begin with `SINGLET_CRICKET_`. A variable that ends with `_FILE`
    /// names a file that has the value.
    pub fn from_environment() -> Result<Self, String> {
        // Variables of other programs may be any bytes.
        let text = |(name, value): (OsString, OsString)| {
            Some((name.into_string().ok()?, value.into_string().ok()?))
        };
        Self::new(std::env::vars_os().filter_map(text))
    }

    pub fn new(variables: impl IntoIterator<Item = (String, String)>) -> Result<Self, String> {
        let mut own = Vec::new();
        for (name, value) in variables {
            let Some(name) = name.strip_prefix("SINGLET_CRICKET_") else { continue };
            match name.strip_suffix("_FILE") {
                None => own.push((name.to_owned(), value)),
                Some(name) => {
                    let text = std::fs::read_to_string(&value).map_err(|error| {
                        format!("SINGLET_CRICKET_{name}_FILE cannot be read: {error}")
                    })?;
                    own.push((name.to_owned(), text.trim().to_owned()));
                }
            }
        }
        let settings = Self { variables: own };
        let choices: [(&str, [&str; 2]); 2] =
            [("FEED", ["replay", "sportmonks"]), ("PUSH", ["log", "apns"])];
        for (name, [usual, other]) in choices {
            let chosen = settings.get(name).unwrap_or(usual);
            if ![usual, other].contains(&chosen) {
                let text = format!("SINGLET_CRICKET_{name} must be {usual} or {other}");
                return Err(text);
            }
        }
        if settings.get("FEED") == Some("sportmonks") {
            settings.required("SPORTMONKS_TOKEN")?;
        }
        Ok(settings)
    }

    fn get(&self, name: &str) -> Option<&str> {
        let found = self.variables.iter().find(|(own, _)| own == name);
        found.map(|(_, value)| value.as_str()).filter(|value| !value.is_empty())
    }

    fn required(&self, name: &str) -> Result<&str, String> {
        self.get(name)
            .ok_or_else(|| format!("set SINGLET_CRICKET_{name}, or SINGLET_CRICKET_{name}_FILE"))
    }

    pub(super) fn sportmonks(&self, clock: Clock) -> Option<SportMonks> {
        if self.get("FEED") != Some("sportmonks") {
            return None;
        }
        let base = self.get("SPORTMONKS_BASE").unwrap_or(SPORTMONKS_BASE);
        let options = SportMonksOptions::new(base, self.get("SPORTMONKS_TOKEN")?);
        Some(SportMonks::new(options, clock))
    }

    pub(super) fn sender(
        &self,
        clock: Clock,
        random: Random,
    ) -> Result<Arc<dyn PushSender>, String> {
        if self.get("PUSH") != Some("apns") {
            return Ok(Arc::new(LogSender));
        }
        let key = ProviderKey::from_pem(
            self.required("APNS_KEY_ID")?,
            self.required("APNS_TEAM_ID")?,
            self.required("APNS_KEY")?,
        );
        let base = self.get("APNS_BASE").unwrap_or(APNS_BASE).to_owned();
        let sandbox_base = self.get("APNS_BASE").unwrap_or(APNS_SANDBOX_BASE).to_owned();
        let options = ApnsOptions {
            http2_only: base.starts_with("http://"),
            base,
            sandbox_base,
            bundle: self.required("APNS_BUNDLE")?.to_owned(),
            key: key?,
        };
        Ok(Arc::new(Apns::new(options, clock, random)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(variables: &[(&str, &str)]) -> Result<Settings, String> {
        Settings::new(
            variables.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())),
        )
    }

    #[test]
    fn nothing_set_means_replay_and_log() {
        let settings = settings(&[("PATH", "/bin")]).unwrap();
        assert!(settings.sportmonks(Clock::fixed(0)).is_none());
        let sender = settings.sender(Clock::fixed(0), Random::new()).unwrap();
        assert_eq!(sender.name(), "log");
    }

    #[test]
    fn a_wrong_choice_is_refused() {
        assert!(settings(&[("SINGLET_CRICKET_FEED", "radio")]).is_err());
        assert!(settings(&[("SINGLET_CRICKET_FEED", "sportmonks")]).is_err());
        let chosen =
            [("SINGLET_CRICKET_FEED", "sportmonks"), ("SINGLET_CRICKET_SPORTMONKS_TOKEN", "hush")];
        let settings = settings(&chosen).unwrap();
        assert!(settings.sportmonks(Clock::fixed(0)).is_some());
    }
}
