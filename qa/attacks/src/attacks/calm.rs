use crate::round::{Kind, Round};

/// Does nothing. If this fails, the machine is too busy for the figures of the others to mean
/// anything. On a folder, so that it also shows what the disk takes.
pub(super) fn run(round: &mut Round) -> Result<(), String> {
    let mut endpoint = round.endpoint(Kind::Folder)?;
    round.attack_endpoint(&mut endpoint, |until| {
        until.wait();
        Ok(())
    })
}
