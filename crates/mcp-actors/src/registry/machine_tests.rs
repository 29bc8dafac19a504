use mcp_catalog::ServerListing;
use mcp_types::ToolSpec;

use super::*;
use crate::server::spec::LifecycleMode;
use crate::snapshot::Life;
use crate::test_support::{connect_spec, mount_spec, name};

struct Rig {
    machine: RegistryMachine,
    now: Instant,
    effects: Vec<RegistryEffect>,
}

impl Rig {
    fn new() -> Self {
        Self {
            machine: RegistryMachine::new(fastrand::Rng::with_seed(9)),
            now: tokio::time::Instant::now().into_std(),
            effects: Vec::new(),
        }
    }

    fn feed(&mut self, event: RegistryEvent) -> Vec<RegistryEffect> {
        self.effects.clear();
        self.machine.on(event, self.now, &mut self.effects);
        self.effects.clone()
    }

    fn desire(&mut self, generation: u64, mounts: &[(&str, &MountSpec)]) -> Vec<RegistryEffect> {
        let mounts = mounts.iter().map(|(text, spec)| (name(text), Arc::new((*spec).clone()))).collect();
        self.feed(RegistryEvent::Desired(Desired { generation: Generation::new(generation), mounts }))
    }

    fn end(&mut self, server: &str, incarnation: u64, newest_epoch: u64) -> Vec<RegistryEffect> {
        let incarnation = Incarnation(incarnation);
        let mut all = self.feed(RegistryEvent::Down { name: name(server), incarnation });
        let remains = Remains { newest_epoch: Epoch::new(newest_epoch), ..Remains::default() };
        all.extend(self.feed(RegistryEvent::Gone { name: name(server), incarnation, remains }));
        all
    }
}

/// Shows effects in a word each.
fn words(effects: &[RegistryEffect]) -> Vec<String> {
    let word = |effect: &RegistryEffect| match effect {
        RegistryEffect::Mount { name, incarnation, epoch, .. } => {
            format!("mount {name} #{} above {epoch}", incarnation.0)
        }
        RegistryEffect::Respec { name, .. } => format!("respec {name}"),
        RegistryEffect::Retire { name, .. } => format!("retire {name}"),
        RegistryEffect::CleanUp { name, incarnation } => format!("clean up {name} #{}", incarnation.0),
        RegistryEffect::Publish(publication) => {
            let servers = publication.snapshot.servers.iter();
            let servers: Vec<_> =
                servers.map(|server| format!("{}={}", server.name, server.status.as_str())).collect();
            format!("publish [{}]", servers.join(" "))
        }
        RegistryEffect::Finished(_) => "finished".to_owned(),
    };
    effects.iter().map(word).collect()
}

fn lazy(server: &str) -> MountSpec {
    mount_spec(server, LifecycleMode::Lazy)
}

#[test]
fn the_first_publication_follows_the_first_reconcile() {
    let mut rig = Rig::new();
    assert_eq!(
        words(&rig.desire(1, &[("b", &lazy("b")), ("a", &lazy("a"))])),
        ["mount b #1 above 0", "mount a #2 above 0", "publish [b=not-connected a=not-connected]"]
    );
}

#[test]
fn equal_is_untouched_changed_is_respecified_gone_is_retired() {
    let mut rig = Rig::new();
    rig.desire(1, &[("same", &lazy("same")), ("other", &lazy("other")), ("gone", &lazy("gone"))]);
    let other = MountSpec { connect: connect_spec("other", 2), ..lazy("other") };
    assert_eq!(
        words(&rig.desire(2, &[("same", &lazy("same")), ("other", &other)])),
        ["retire gone", "respec other", "publish [same=not-connected other=not-connected]"]
    );
}

#[test]
fn an_older_generation_is_ignored() {
    let mut rig = Rig::new();
    rig.desire(2, &[("a", &lazy("a"))]);
    assert_eq!(words(&rig.desire(1, &[])), [""; 0]);
}

#[test]
fn of_two_servers_with_one_name_the_first_counts() {
    let mut rig = Rig::new();
    let second = MountSpec { source: "second".to_owned(), ..lazy("a") };
    assert_eq!(
        words(&rig.desire(1, &[("a", &lazy("a")), ("a", &second)])),
        ["mount a #1 above 0", "publish [a=not-connected]"]
    );
}

#[test]
fn s1_a_name_that_comes_back_waits_for_the_end_of_its_predecessor_and_counts_on() {
    let mut rig = Rig::new();
    rig.desire(1, &[("a", &lazy("a"))]);
    rig.desire(2, &[]);
    assert_eq!(words(&rig.desire(3, &[("a", &lazy("a"))])), ["publish [a=not-connected]"]);
    assert_eq!(
        words(&rig.end("a", 1, 7)),
        ["clean up a #1", "mount a #2 above 7", "publish [a=not-connected]"]
    );
}

#[test]
fn a_failed_actor_begins_anew_above_its_epochs_with_what_is_known() {
    let mut rig = Rig::new();
    rig.desire(1, &[("a", &lazy("a")), ("b", &lazy("b"))]);
    let listing = Arc::new(ServerListing {
        tools: vec![Arc::new(ToolSpec::parse(r#"{"name":"t"}"#).unwrap())],
        ..ServerListing::default()
    });
    let report = ServerReport {
        state: ServerState::Connected,
        life: Life::Used,
        listing: Some(Arc::clone(&listing)),
        ..ServerReport::initial(&lazy("a"), Epoch::new(4))
    };
    rig.feed(RegistryEvent::Reported {
        name: name("a"),
        incarnation: Incarnation(1),
        report: Box::new(report),
    });
    assert_eq!(words(&rig.end("a", 1, 4)), ["clean up a #1", "publish [a=restarting b=not-connected]"]);
    rig.now = rig.machine.next_wakeup().unwrap();
    let effects = rig.feed(RegistryEvent::Wake);
    assert_eq!(words(&effects), ["mount a #3 above 4", "publish [a=cached b=not-connected]"]);
    assert_eq!(rig.machine.roster.tools().count(), 1);
}

#[test]
fn a_message_of_an_actor_that_has_ended_is_not_believed() {
    let mut rig = Rig::new();
    rig.desire(1, &[("a", &lazy("a"))]);
    rig.end("a", 1, 1);
    rig.now = rig.machine.next_wakeup().unwrap();
    rig.feed(RegistryEvent::Wake);
    let report = Box::new(ServerReport {
        state: ServerState::Connected,
        ..ServerReport::initial(&lazy("a"), Epoch::ZERO)
    });
    let late = [
        RegistryEvent::Reported { name: name("a"), incarnation: Incarnation(1), report },
        RegistryEvent::Down { name: name("a"), incarnation: Incarnation(1) },
        RegistryEvent::Gone { name: name("a"), incarnation: Incarnation(1), remains: Remains::default() },
    ];
    for event in late {
        assert_eq!(words(&rig.feed(event)), [""; 0]);
    }
}

#[test]
fn a_failed_actor_that_is_not_wanted_any_more_is_not_restarted() {
    let mut rig = Rig::new();
    rig.desire(1, &[("a", &lazy("a"))]);
    rig.feed(RegistryEvent::Down { name: name("a"), incarnation: Incarnation(1) });
    assert_eq!(words(&rig.desire(2, &[])), ["publish []"]);
    let incarnation = Incarnation(1);
    rig.feed(RegistryEvent::Gone { name: name("a"), incarnation, remains: Remains::default() });
    assert_eq!(rig.machine.next_wakeup(), None);
}

#[test]
fn the_last_publication_is_empty_and_follows_the_last_server() {
    let mut rig = Rig::new();
    rig.desire(1, &[("a", &lazy("a")), ("b", &lazy("b"))]);
    let grace = Duration::from_secs(1);
    assert_eq!(words(&rig.feed(RegistryEvent::Shutdown { grace })), ["retire a", "retire b"]);
    assert_eq!(words(&rig.desire(2, &[("c", &lazy("c"))])), [""; 0]);
    assert_eq!(words(&rig.end("b", 2, 0)), ["clean up b #2"]);
    let effects = rig.end("a", 1, 0);
    assert_eq!(words(&effects), ["clean up a #1", "publish []", "finished"]);
    let RegistryEffect::Publish(last) = &effects[1] else { panic!("{effects:?}") };
    assert!(last.snapshot.closed && last.roster.servers().next().is_none());
}

#[test]
fn a_disabled_server_shows_so_before_it_reports() {
    let mut rig = Rig::new();
    let off = MountSpec { disabled: true, ..lazy("a") };
    rig.desire(1, &[("a", &lazy("a"))]);
    assert_eq!(words(&rig.desire(2, &[("a", &off)])), ["respec a", "publish [a=disabled]"]);
}
