use crate::round::{Kind, Round, health};
use crate::victim;

const WRITES: u64 = 50;

/// Deletes the file `lock` of a running server, and starts a second one on the folder. It took a
/// new lock and started, so that two processes wrote the same files.
pub(super) fn run(round: &mut Round) -> Result<(), String> {
    let folder = round.path("data");
    let first = round.endpoint_on(Kind::Folder, Some(&folder))?;
    let acknowledged = victim::write_acknowledged(first.requests, WRITES)?;
    for lock_is_deleted in [false, true] {
        if lock_is_deleted {
            let lock = folder.join("lock");
            std::fs::remove_file(&lock).map_err(|error| format!("{}: {error}", lock.display()))?;
        }
        let second = round.endpoint_on(Kind::Folder, Some(&folder));
        let what = if lock_is_deleted { "without the file `lock`" } else { "with it" };
        match second {
            Ok(_) => round.faults.push(format!("a second process started, {what}")),
            Err(reason) => {
                let reason = reason.replace(&folder.display().to_string(), "the folder");
                let is_clear = reason.contains("process") || reason.contains("lock");
                round.check(is_clear, || format!("the refusal is not clear: {reason}"));
            }
        }
    }
    round.check_kept(first.requests, &acknowledged, "in the first process");
    let healthy = health(first.requests.address).is_ok_and(|answer| answer.status == 200);
    round.check(healthy, || "the first process is not healthy".to_owned());
    Ok(())
}
