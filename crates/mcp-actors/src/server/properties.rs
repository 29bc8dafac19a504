//! The invariants S1–S8 over random sequences of events. Every event runs through the checks of the ledger; what only
//! a whole sequence can show is checked here. `PROPTEST_CASES` sets the number of sequences.

use std::sync::Arc;
use std::time::Duration;

use mcp_transport::{Failure, FailureClass, ListKind};
use mcp_types::Epoch;
use proptest::prelude::*;

use super::event::{AskKind, LeaseOutcome, Opened, ServerEvent};
use super::refusal::StopReason;
use super::rig::Rig;
use super::spec::{LifecycleMode, LifecycleSpec, MountSpec};
use crate::test_support::{connect_spec, failure, mount_spec};

#[derive(Debug, Clone)]
enum Op {
    Ask {
        kind: AskKind,
        limit: Duration,
        newer_than: Option<u64>,
    },
    Leave(usize),
    Return(usize, LeaseOutcome),
    DialSucceeds(Opened),
    DialFails(FailureClass),
    CloseEnds,
    SessionEnds(FailureClass),
    Notice(ListKind),
    ListEnds(usize, Option<FailureClass>),
    PingEnds(Option<FailureClass>),
    Noise(u64),
    Pass(Duration),
    /// Time passes, and the machine is not woken in time.
    PassUnawares(Duration),
    Respec {
        mode: LifecycleMode,
        version: u32,
        disabled: bool,
        idle: Option<Duration>,
    },
    Stale {
        back: u64,
        which: usize,
    },
}

fn class() -> impl Strategy<Value = FailureClass> {
    prop_oneof![
        Just(FailureClass::Unreachable),
        Just(FailureClass::Timeout),
        Just(FailureClass::AuthRequired { challenge: None }),
        Just(FailureClass::SessionExpired),
        Just(FailureClass::Protocol),
        Just(FailureClass::Exited { status: None, stderr_tail: vec![] }),
        Just(FailureClass::Refused { code: -32_000, data: None }),
        Just(FailureClass::Cancelled),
        Just(FailureClass::Closed),
    ]
}

fn kind() -> impl Strategy<Value = ListKind> {
    prop_oneof![Just(ListKind::Tools), Just(ListKind::Resources), Just(ListKind::Prompts)]
}

fn mode() -> impl Strategy<Value = LifecycleMode> {
    prop_oneof![
        Just(LifecycleMode::Lazy),
        Just(LifecycleMode::Eager),
        Just(LifecycleMode::KeepAlive),
        Just(LifecycleMode::LazyKeepAlive),
    ]
}

fn ask_kind() -> impl Strategy<Value = AskKind> {
    prop_oneof![6 => Just(AskKind::Plain), 1 => Just(AskKind::Bypass), 1 => Just(AskKind::Renew)]
}

/// Times that matter: nothing, the small limits, the long ones.
fn time() -> impl Strategy<Value = Duration> {
    prop_oneof![
        (0_u64..400).prop_map(Duration::from_millis),
        (0_u64..12).prop_map(Duration::from_secs),
        (20_u64..400).prop_map(Duration::from_secs),
        Just(Duration::from_mins(12)),
    ]
}

fn opened() -> impl Strategy<Value = Opened> {
    (any::<bool>(), any::<bool>(), any::<bool>()).prop_map(|(tools, resources, prompts)| Opened {
        tools,
        resources,
        prompts,
        ..Opened::default()
    })
}

fn outcome() -> impl Strategy<Value = LeaseOutcome> {
    prop_oneof![3 => Just(LeaseOutcome::Ok), 1 => class().prop_map(LeaseOutcome::Failed)]
}

fn op() -> impl Strategy<Value = Op> {
    let ask = (ask_kind(), time(), proptest::option::of(0_u64..200));
    let respec = (mode(), 0_u32..3, proptest::bool::weighted(0.2), proptest::option::of(time()));
    prop_oneof![
        6 => ask.prop_map(|(kind, limit, newer_than)| Op::Ask { kind, limit, newer_than }),
        1 => any::<usize>().prop_map(Op::Leave),
        4 => (any::<usize>(), outcome()).prop_map(|(index, outcome)| Op::Return(index, outcome)),
        6 => opened().prop_map(Op::DialSucceeds),
        3 => class().prop_map(Op::DialFails),
        4 => Just(Op::CloseEnds),
        1 => class().prop_map(Op::SessionEnds),
        3 => kind().prop_map(Op::Notice),
        8 => (any::<usize>(), proptest::option::weighted(0.2, class()))
            .prop_map(|(index, class)| Op::ListEnds(index, class)),
        2 => proptest::option::of(class()).prop_map(Op::PingEnds),
        1 => any::<u64>().prop_map(Op::Noise),
        5 => time().prop_map(Op::Pass),
        1 => time().prop_map(Op::PassUnawares),
        2 => respec.prop_map(|(mode, version, disabled, idle)| Op::Respec { mode, version, disabled, idle }),
        2 => (1_u64..4, any::<usize>()).prop_map(|(back, which)| Op::Stale { back, which }),
    ]
}

fn run(rig: &mut Rig, op: Op) {
    match op {
        Op::Ask { kind, limit, newer_than } => {
            rig.ask_with(kind, limit, newer_than.map(Epoch::new));
        }
        Op::Leave(index) => {
            if let Some(waiter) = rig.waiting.get(index % rig.waiting.len().max(1)).copied() {
                rig.waiting.retain(|waiting| *waiting != waiter);
                rig.feed(ServerEvent::Abandoned(waiter));
            }
        }
        Op::Return(index, outcome) => rig.return_lease(index, outcome),
        Op::DialSucceeds(opened) => rig.dial_succeeds(opened),
        Op::DialFails(class) => rig.dial_fails(failure(class)),
        Op::CloseEnds => rig.close_ends(),
        Op::SessionEnds(class) => {
            if let Some(epoch) = rig.open.or(rig.dialling) {
                rig.feed(ServerEvent::SessionEnded { epoch, failure: failure(class) });
            }
        }
        Op::Notice(kind) => {
            if let Some(epoch) = rig.open {
                rig.feed(ServerEvent::ListChanged { epoch, kind });
            }
        }
        Op::ListEnds(index, class) => {
            rig.list_ends(index, class.map_or(Ok(&["a", "b"]), |class| Err(failure(class))));
        }
        Op::PingEnds(class) => rig.ping_ends(class.map_or(Ok(()), |class| Err(failure(class)))),
        Op::Noise(lines) => {
            if let Some(epoch) = rig.open {
                rig.feed(ServerEvent::Noise { epoch, lines });
            }
        }
        Op::Pass(time) => rig.pass(time),
        Op::PassUnawares(time) => rig.now += time,
        Op::Respec { mode, version, disabled, idle } => {
            let spec = MountSpec {
                connect: connect_spec("s", version),
                lifecycle: LifecycleSpec { idle, ..LifecycleSpec::new(mode) },
                disabled,
                ..mount_spec("s", mode)
            };
            rig.feed(ServerEvent::SpecChanged(Arc::new(spec)));
        }
        Op::Stale { back, which } => stale(rig, back, which),
    }
}

/// S3: an event of an old epoch changes nothing and causes nothing.
fn stale(rig: &mut Rig, back: u64, which: usize) {
    let newest = rig.machine.epoch.get();
    let Some(old) = newest.checked_sub(back) else { return };
    let epoch = Epoch::new(old);
    let failure: Failure = failure(FailureClass::Closed);
    let events = [
        ServerEvent::Connected { epoch, opened: Box::default() },
        ServerEvent::ConnectFailed { epoch, failure: failure.clone() },
        ServerEvent::SessionEnded { epoch, failure: failure.clone() },
        ServerEvent::Closed { epoch },
        ServerEvent::ListChanged { epoch, kind: ListKind::Tools },
        ServerEvent::Listed { epoch, kind: ListKind::Tools, revision: 1, result: Err(failure.clone()) },
        ServerEvent::Pinged { epoch, result: Err(failure) },
        ServerEvent::LeaseDropped { epoch, outcome: LeaseOutcome::Failed(FailureClass::Closed) },
        ServerEvent::Noise { epoch, lines: 7 },
    ];
    rig.feed(ServerEvent::Wake);
    let before = fingerprint(rig);
    let mut effects = Vec::new();
    let event = events[which % events.len()].clone();
    rig.machine.on(event.clone(), rig.now, &mut effects);
    assert!(effects.is_empty(), "S3: {event:?} caused {effects:?}");
    assert_eq!(fingerprint(rig), before, "S3: {event:?}");
}

fn fingerprint(rig: &Rig) -> String {
    let machine = &rig.machine;
    format!("{:?} {:?} {:?} {:?}", machine.phase, machine.waiters, machine.listing, machine.next_wakeup())
}

/// Ends the machine from wherever it is, and checks that it comes to its end.
fn finish(rig: &mut Rig) {
    rig.feed(ServerEvent::Stop { reason: StopReason::ShuttingDown, grace: Duration::from_secs(3) });
    assert!(rig.waiting.is_empty(), "S2: somebody is left waiting");
    rig.pass(Duration::from_secs(3));
    rig.dial_fails(failure(FailureClass::Cancelled));
    rig.close_ends();
    assert!(rig.exited, "it did not end: {:?}", rig.machine.phase);
    let late = rig.ask();
    assert!(late.is_some(), "S2: a late request is not answered");
}

proptest! {
    #[test]
    fn s1_to_s8_hold_over_any_sequence(
        mode in mode(),
        seed in any::<u64>(),
        ops in proptest::collection::vec(op(), 1..80),
    ) {
        let mut rig = Rig::new(mount_spec("s", mode));
        rig.machine.random = fastrand::Rng::with_seed(seed);
        for op in ops {
            run(&mut rig, op);
        }
        finish(&mut rig);
    }

    #[test]
    fn s2_whoever_waits_is_answered_by_the_deadline_though_nothing_else_happens(
        mode in mode(),
        ops in proptest::collection::vec(op(), 1..40),
        limit in time(),
    ) {
        let mut rig = Rig::new(mount_spec("s", mode));
        for op in ops {
            run(&mut rig, op);
        }
        rig.ask_with(AskKind::Plain, limit, None);
        rig.pass(Duration::from_mins(12));
        prop_assert!(rig.waiting.is_empty());
    }

    #[test]
    fn s7_a_server_that_never_answers_wakes_the_machine_seldom(mode in mode()) {
        let mut rig = Rig::new(mount_spec("s", mode));
        for _ in 0..50 {
            rig.dial_fails(failure(FailureClass::Unreachable));
            rig.pass(Duration::from_mins(10));
        }
        prop_assert!(rig.dials.len() <= 51);
    }
}
