use mcp_transport::{FailureClass, ListKind};

use super::super::effect::CloseCause;
use super::super::event::{AskKind, LeaseOutcome, Opened};
use super::super::phase::DrainStage;
use super::super::refusal::{Refusal, StopReason};
use super::super::rig::{Answer, Rig};
use super::super::spec::LifecycleSpec;
use super::*;
use crate::test_support::{connect_spec, failure, mount_spec};
use std::time::Duration;

const fn seconds(count: u64) -> Duration {
    Duration::from_secs(count)
}

fn rig(mode: LifecycleMode) -> Rig {
    Rig::new(mount_spec("s", mode))
}

fn up(mode: LifecycleMode) -> Rig {
    let mut rig = rig(mode);
    rig.ask();
    rig.come_up(&["a"]);
    rig.return_lease(0, LeaseOutcome::Ok);
    rig
}

fn lease(epoch: u64) -> Answer {
    Answer::Lease(Epoch::new(epoch))
}

fn state(rig: &Rig) -> ServerState {
    rig.machine.report().state
}

fn unreachable() -> Failure {
    failure(FailureClass::Unreachable)
}

#[test]
fn adapter_10_lazy_dials_on_use_and_eager_and_keep_alive_at_once() {
    let dialled = |mode| rig(mode).dials.len();
    assert_eq!(
        [LifecycleMode::Lazy, LifecycleMode::Eager, LifecycleMode::KeepAlive, LifecycleMode::LazyKeepAlive]
            .map(dialled),
        [0, 1, 1, 0]
    );
}

#[test]
fn a_lease_is_granted_only_after_the_first_listing_of_its_epoch() {
    let mut rig = rig(LifecycleMode::Lazy);
    assert_eq!(rig.ask(), None);
    rig.dial_succeeds(Opened { tools: true, ..Opened::default() });
    assert_eq!((rig.ask(), state(&rig)), (None, ServerState::Connecting));
    rig.list_ends(0, Ok(&["a"]));
    assert_eq!((rig.leases.len(), rig.last_answer(), state(&rig)), (2, &lease(1), ServerState::Connected));
}

#[test]
fn t_mnt_03_two_requests_cause_one_dial() {
    let mut rig = rig(LifecycleMode::Lazy);
    rig.ask();
    rig.ask();
    rig.come_up(&["a"]);
    assert_eq!((rig.dials.len(), rig.leases.len()), (1, 2));
}

#[test]
fn t_mnt_05_a_failed_first_listing_leaves_nothing_and_a_retry_dials_anew() {
    let mut rig = rig(LifecycleMode::Lazy);
    rig.ask();
    rig.dial_succeeds(Opened { tools: true, ..Opened::default() });
    rig.list_ends(0, Err(failure(FailureClass::Timeout)));
    assert_eq!((rig.closes.as_slice(), rig.waiting.len()), (&[CloseCause::Unusable][..], 1));
    rig.close_ends();
    assert_eq!(rig.last_answer(), &Answer::Refused(Refusal::ConnectFailed(failure(FailureClass::Timeout))));
    assert_eq!(rig.ask_with(AskKind::Bypass, seconds(1), None), None);
    assert_eq!(rig.dials.len(), 2);
}

#[test]
fn adapter_10_a_failed_connect_blocks_plain_requests_for_a_minute() {
    let mut rig = rig(LifecycleMode::Lazy);
    rig.ask();
    rig.dial_fails(unreachable());
    rig.pass(seconds(20));
    let refused = Refusal::Backoff { failed_ago: seconds(20), retry_in: seconds(40), last: unreachable() };
    assert_eq!((rig.ask(), state(&rig)), (Some(Answer::Refused(refused)), ServerState::Failed));
    rig.pass(seconds(40));
    assert_eq!((state(&rig), rig.ask(), rig.dials.len()), (ServerState::NotConnected, None, 2));
}

#[test]
fn adapter_10_an_explicit_request_ignores_the_block() {
    let mut rig = rig(LifecycleMode::Lazy);
    rig.ask();
    rig.dial_fails(unreachable());
    rig.ask_with(AskKind::Bypass, seconds(1), None);
    assert_eq!(rig.dials.len(), 2);
}

#[test]
fn a_lost_session_is_dialled_at_once_by_the_next_request() {
    let mut rig = up(LifecycleMode::Lazy);
    let epoch = rig.open.unwrap();
    let died =
        failure(FailureClass::Exited { status: Some("exit status: 1".to_owned()), stderr_tail: vec![] });
    rig.feed(ServerEvent::SessionEnded { epoch, failure: died.clone() });
    rig.close_ends();
    assert_eq!(rig.machine.report().last_error.as_deref(), Some(&died));
    assert_eq!((state(&rig), rig.ask(), rig.dials.len()), (ServerState::Cached, None, 2));
    rig.come_up(&["a"]);
    assert_eq!((rig.last_answer(), rig.machine.report().last_error), (&lease(2), None));
}

#[test]
fn a_request_during_the_end_of_a_session_waits_for_the_next_one() {
    let mut rig = up(LifecycleMode::Lazy);
    let epoch = rig.open.unwrap();
    rig.feed(ServerEvent::SessionEnded { epoch, failure: failure(FailureClass::Closed) });
    assert_eq!((rig.ask(), rig.dials.len()), (None, 1));
    rig.close_ends();
    rig.come_up(&["a"]);
    assert_eq!(rig.last_answer(), &lease(2));
}

#[test]
fn t_call_20_an_expired_session_is_renewed_once_for_all_who_met_it() {
    let mut rig = up(LifecycleMode::Lazy);
    rig.ask();
    rig.ask();
    rig.return_lease(0, LeaseOutcome::Failed(FailureClass::SessionExpired));
    rig.ask_with(AskKind::Plain, seconds(30), Some(Epoch::new(1)));
    rig.return_lease(0, LeaseOutcome::Failed(FailureClass::SessionExpired));
    rig.ask_with(AskKind::Plain, seconds(30), Some(Epoch::new(1)));
    rig.close_ends();
    rig.come_up(&["a"]);
    assert_eq!((rig.dials.len(), rig.leases.as_slice()), (2, &[Epoch::new(2); 2][..]));
}

#[test]
fn a_request_for_a_newer_epoch_ends_the_useless_one_by_itself() {
    let mut rig = up(LifecycleMode::Lazy);
    assert_eq!(rig.ask_with(AskKind::Plain, seconds(30), Some(Epoch::new(1))), None);
    rig.close_ends();
    rig.come_up(&["a"]);
    assert_eq!(rig.last_answer(), &lease(2));
}

#[test]
fn a_newer_epoch_than_any_leased_one_asks_for_nothing_special() {
    let mut rig = up(LifecycleMode::Lazy);
    rig.ask_with(AskKind::Plain, seconds(30), Some(Epoch::new(1)));
    rig.close_ends();
    rig.come_up(&["a"]);
    let mut epochs = Vec::new();
    for _ in 0..3 {
        epochs.push(rig.ask_with(AskKind::Plain, seconds(30), Some(Epoch::new(99))));
        rig.close_ends();
        rig.come_up(&["a"]);
    }
    assert_eq!(epochs.len(), 3);
    assert!(rig.dials.len() <= 5);
}

#[test]
fn t_call_03_a_timeout_does_not_poison_the_session() {
    let mut rig = up(LifecycleMode::Lazy);
    rig.ask();
    rig.return_lease(0, LeaseOutcome::Failed(FailureClass::Timeout));
    assert_eq!((rig.ask(), rig.dials.len()), (Some(lease(1)), 1));
}

#[test]
fn a_slow_start_is_reported_and_goes_on() {
    let mut rig = rig(LifecycleMode::Lazy);
    rig.ask_with(AskKind::Plain, seconds(5), None);
    rig.pass(seconds(5));
    assert_eq!(rig.last_answer(), &Answer::Refused(Refusal::StillStarting));
    rig.come_up(&["a"]);
    assert_eq!((rig.ask(), rig.dials.len()), (Some(lease(1)), 1));
}

#[test]
fn s5_idle_close_waits_for_leases() {
    let mut rig = up(LifecycleMode::Lazy);
    rig.ask();
    rig.pass(seconds(3_600));
    assert_eq!(rig.closes, []);
    rig.return_lease(0, LeaseOutcome::Ok);
    rig.pass(seconds(9 * 60 + 59));
    assert_eq!(rig.closes, []);
    rig.pass(seconds(1));
    assert_eq!(rig.closes, [CloseCause::Idle]);
    rig.close_ends();
    assert_eq!((state(&rig), rig.dials.len()), (ServerState::Cached, 1));
}

#[test]
fn adapter_10_only_lazy_servers_are_closed_when_idle() {
    for mode in [LifecycleMode::Eager, LifecycleMode::KeepAlive, LifecycleMode::LazyKeepAlive] {
        let mut rig = up(mode);
        for _ in 0..200 {
            rig.pass(seconds(30));
            rig.ping_ends(Ok(()));
        }
        assert_eq!(rig.closes, [], "{mode:?}");
    }
}

#[test]
fn s4_keep_alive_dials_again_after_growing_delays() {
    let mut rig = rig(LifecycleMode::KeepAlive);
    let mut delays = Vec::new();
    for _ in 0..6 {
        rig.dial_fails(unreachable());
        let failed_at = rig.now;
        let dials = rig.dials.len();
        while rig.dials.len() == dials {
            rig.pass(seconds(1));
        }
        delays.push((rig.now - failed_at).as_secs());
    }
    for (delay, full) in delays.iter().zip([30, 60, 120, 240, 300, 300]) {
        assert!((full * 9 / 10..=full + 1).contains(delay), "{delays:?}");
    }
}

#[test]
fn a_day_of_back_off_dials_about_three_hundred_times() {
    let mut rig = rig(LifecycleMode::KeepAlive);
    let end = rig.now + seconds(24 * 3_600);
    while rig.now < end {
        rig.dial_fails(unreachable());
        rig.pass(seconds(1));
    }
    assert!((285..=330).contains(&rig.dials.len()), "{}", rig.dials.len());
}

#[test]
fn a_keep_alive_server_that_lived_long_is_dialled_at_once_and_one_that_did_not_later() {
    let mut rig = up(LifecycleMode::KeepAlive);
    rig.pass(seconds(61));
    let lose = |rig: &mut Rig| {
        let epoch = rig.open.unwrap();
        rig.feed(ServerEvent::SessionEnded { epoch, failure: failure(FailureClass::Closed) });
        rig.close_ends();
    };
    lose(&mut rig);
    assert_eq!(rig.dials.last(), Some(&(Epoch::new(2), DialCause::Automatic)));
    rig.come_up(&["a"]);
    lose(&mut rig);
    assert_eq!((rig.dials.len(), state(&rig)), (2, ServerState::Failed));
    assert_eq!((rig.ask(), rig.dials.len()), (None, 3));
}

#[test]
fn s4_a_sign_in_is_waited_for_without_dialling() {
    let mut rig = rig(LifecycleMode::KeepAlive);
    let challenge = Some("Bearer".to_owned());
    rig.dial_fails(failure(FailureClass::AuthRequired { challenge: challenge.clone() }));
    rig.pass(seconds(24 * 3_600));
    assert_eq!(rig.ask(), Some(Answer::Refused(Refusal::NeedsAuth { challenge })));
    assert_eq!((rig.dials.len(), state(&rig)), (1, ServerState::NeedsAuth));
    rig.ask_with(AskKind::Bypass, seconds(1), None);
    assert_eq!(rig.dials.len(), 2);
}

#[test]
fn two_failed_pings_end_an_unused_session() {
    let mut rig = up(LifecycleMode::KeepAlive);
    for _ in 0..2 {
        rig.pass(seconds(30));
        assert!(rig.ping.is_some());
        rig.ping_ends(Err(failure(FailureClass::Timeout)));
    }
    assert_eq!(rig.closes, [CloseCause::Health]);
}

#[test]
fn s5_a_failed_ping_says_nothing_while_a_lease_is_out() {
    let mut rig = up(LifecycleMode::KeepAlive);
    for _ in 0..5 {
        rig.pass(seconds(30));
        rig.ask();
        rig.ping_ends(Err(failure(FailureClass::Timeout)));
        rig.return_lease(0, LeaseOutcome::Ok);
    }
    assert_eq!(rig.closes, []);
}

#[test]
fn an_error_is_an_answer_to_a_ping() {
    let mut rig = up(LifecycleMode::KeepAlive);
    for _ in 0..5 {
        rig.pass(seconds(30));
        rig.ping_ends(Err(failure(FailureClass::Refused { code: -32_601, data: None })));
    }
    assert_eq!(rig.closes, []);
}

#[test]
fn a_request_that_met_a_missing_sign_in_makes_the_session_be_asked() {
    let mut rig = up(LifecycleMode::Lazy);
    rig.ask();
    rig.return_lease(0, LeaseOutcome::Failed(FailureClass::AuthRequired { challenge: None }));
    assert!(rig.ping.is_some());
    rig.ping_ends(Err(failure(FailureClass::AuthRequired { challenge: None })));
    rig.close_ends();
    assert_eq!(state(&rig), ServerState::NeedsAuth);
}

#[test]
fn t_rec_04_a_failed_listing_keeps_the_old_tools_says_so_and_is_repeated() {
    let mut rig = up(LifecycleMode::Lazy);
    let epoch = rig.open.unwrap();
    let before = rig.machine.listing.clone().unwrap();
    rig.pass(seconds(1));
    rig.feed(ServerEvent::ListChanged { epoch, kind: ListKind::Tools });
    rig.list_ends(0, Err(failure(FailureClass::Timeout)));
    let report = rig.report.clone().unwrap();
    assert!(Arc::ptr_eq(&report.listing.unwrap(), &before));
    assert_eq!(report.diagnostics.first().map(|found| found.code), Some("list_failed"));
    rig.pass(seconds(3));
    rig.list_ends(0, Ok(&["a", "b"]));
    let report = rig.report.clone().unwrap();
    assert_eq!((report.listing.unwrap().tools.len(), report.diagnostics.len()), (2, 0));
}

#[test]
fn s8_a_listing_that_says_the_same_is_not_published() {
    let mut rig = up(LifecycleMode::Lazy);
    let epoch = rig.open.unwrap();
    rig.pass(seconds(1));
    let reports = rig.reports;
    rig.feed(ServerEvent::ListChanged { epoch, kind: ListKind::Tools });
    rig.list_ends(0, Ok(&["a"]));
    assert_eq!(rig.reports, reports);
}

#[test]
fn t_unm_06_a_listing_that_ends_after_the_unmount_resurrects_nothing() {
    let mut rig = up(LifecycleMode::Lazy);
    let epoch = rig.open.unwrap();
    rig.pass(seconds(1));
    rig.feed(ServerEvent::ListChanged { epoch, kind: ListKind::Tools });
    rig.feed(ServerEvent::Stop { reason: StopReason::Unmounted, grace: seconds(5) });
    let reports = rig.reports;
    rig.list_ends(0, Ok(&["a", "late"]));
    rig.feed(ServerEvent::ListChanged { epoch, kind: ListKind::Tools });
    rig.close_ends();
    assert_eq!((rig.exited, rig.lists.len(), rig.reports), (true, 0, reports));
    assert_eq!(rig.ask(), Some(Answer::Refused(Refusal::Unmounted)));
}

#[test]
fn a_stop_during_an_attempt_waits_for_its_end_and_closes_what_came_about() {
    let mut rig = rig(LifecycleMode::Eager);
    rig.feed(ServerEvent::Stop { reason: StopReason::Unmounted, grace: seconds(5) });
    assert!(rig.aborted && !rig.exited);
    rig.dial_succeeds(Opened::default());
    assert!(rig.closing.is_some() && !rig.exited);
    rig.close_ends();
    assert!(rig.exited);
}

#[test]
fn s1_another_definition_drains_the_old_epoch_and_opens_the_next() {
    let mut rig = up(LifecycleMode::Lazy);
    rig.ask();
    let spec = MountSpec { connect: connect_spec("s", 2), ..mount_spec("s", LifecycleMode::Lazy) };
    rig.feed(ServerEvent::SpecChanged(Arc::new(spec)));
    assert_eq!((rig.closing, rig.ask(), rig.dials.len()), (None, None, 1));
    rig.return_lease(0, LeaseOutcome::Ok);
    rig.close_ends();
    rig.come_up(&["b"]);
    assert_eq!((rig.last_answer(), rig.dials.len()), (&lease(2), 2));
}

#[test]
fn a_lease_that_does_not_come_back_holds_a_change_up_only_for_the_grace() {
    let mut rig = up(LifecycleMode::Lazy);
    rig.ask();
    let spec = MountSpec { connect: connect_spec("s", 2), ..mount_spec("s", LifecycleMode::Lazy) };
    rig.feed(ServerEvent::SpecChanged(Arc::new(spec)));
    assert!(matches!(&rig.machine.phase, Phase::Draining(draining)
        if matches!(draining.stage, DrainStage::Leases { leases: 1, .. })));
    rig.pass(seconds(10));
    assert_eq!(rig.closes, [CloseCause::DrainTimedOut]);
}

#[test]
fn another_lifecycle_is_taken_over_in_place() {
    let mut rig = up(LifecycleMode::Lazy);
    rig.feed(ServerEvent::SpecChanged(Arc::new(mount_spec("s", LifecycleMode::KeepAlive))));
    rig.pass(seconds(3_600));
    assert_eq!((rig.closes.as_slice(), rig.ping), (&[][..], rig.open));
}

#[test]
fn a_disabled_server_is_let_go_and_refuses() {
    let mut rig = up(LifecycleMode::Lazy);
    let off = MountSpec { disabled: true, ..mount_spec("s", LifecycleMode::KeepAlive) };
    rig.feed(ServerEvent::SpecChanged(Arc::new(off)));
    rig.close_ends();
    assert_eq!((rig.ask(), state(&rig)), (Some(Answer::Refused(Refusal::Disabled)), ServerState::Disabled));
    rig.pass(seconds(3_600));
    assert_eq!(rig.dials.len(), 1);
}

#[test]
fn a_renewal_drains_and_dials_and_joins_an_attempt_that_is_on_its_way() {
    let mut rig = up(LifecycleMode::Lazy);
    assert_eq!(rig.ask_with(AskKind::Renew, seconds(30), None), None);
    assert_eq!(rig.ask_with(AskKind::Renew, seconds(30), None), None);
    rig.close_ends();
    rig.come_up(&["a"]);
    assert_eq!((rig.leases.as_slice(), rig.dials.len()), (&[Epoch::new(2); 2][..], 2));
}

#[test]
fn a_session_that_ended_before_it_was_reported_is_a_failed_attempt() {
    let mut rig = rig(LifecycleMode::Lazy);
    rig.ask();
    let epoch = rig.dialling.unwrap();
    rig.feed(ServerEvent::SessionEnded { epoch, failure: failure(FailureClass::Closed) });
    rig.dial_succeeds(Opened { tools: true, ..Opened::default() });
    rig.close_ends();
    assert_eq!(rig.last_answer(), &Answer::Refused(Refusal::ConnectFailed(failure(FailureClass::Closed))));
}

#[test]
fn lifetime_goes_from_configured_over_started_and_used_to_known() {
    let mut rig = rig(LifecycleMode::Lazy);
    let mut lives = vec![rig.machine.report().life];
    rig.ask_with(AskKind::Bypass, seconds(30), None);
    rig.come_up(&["a"]);
    lives.push(rig.machine.report().life);
    rig.ask();
    lives.push(rig.machine.report().life);
    rig.return_lease(0, LeaseOutcome::Ok);
    rig.return_lease(0, LeaseOutcome::Ok);
    rig.pass(LifecycleSpec::LAZY_IDLE);
    rig.close_ends();
    lives.push(rig.machine.report().life);
    assert_eq!(lives, [Life::Configured, Life::Started, Life::Used, Life::Known]);
}
