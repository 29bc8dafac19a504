use mcp_transport::FailureClass;

use super::*;

fn start() -> Instant {
    tokio::time::Instant::now().into_std()
}

fn random() -> fastrand::Rng {
    fastrand::Rng::with_seed(1)
}

fn only_tools() -> Opened {
    Opened { tools: true, ..Opened::default() }
}

fn begun(listings: &mut Listings, now: Instant) -> Vec<(ListKind, u64)> {
    listings.start_due(now).collect()
}

#[test]
fn s6_any_number_of_changes_during_a_listing_brings_exactly_one_more() {
    let now = start();
    let mut listings = Listings::begin(&only_tools(), now);
    assert_eq!(begun(&mut listings, now), [(ListKind::Tools, 1)]);
    for _ in 0..50 {
        listings.changed(ListKind::Tools, now);
    }
    assert_eq!(begun(&mut listings, now), []);
    assert!(listings.finished(ListKind::Tools, 1, None, now, &mut random()));
    let later = now + LEAST_GAP;
    assert_eq!(begun(&mut listings, later), [(ListKind::Tools, 2)]);
    assert!(listings.finished(ListKind::Tools, 2, None, later, &mut random()));
    assert_eq!((begun(&mut listings, later + LEAST_GAP), listings.next_wakeup(false)), (vec![], None));
}

#[test]
fn s6_a_result_of_another_revision_is_not_accepted() {
    let now = start();
    let mut listings = Listings::begin(&only_tools(), now);
    begun(&mut listings, now);
    assert!(!listings.finished(ListKind::Tools, 0, None, now, &mut random()));
    assert!(listings.finished(ListKind::Tools, 1, None, now, &mut random()));
    assert!(!listings.finished(ListKind::Tools, 1, None, now, &mut random()));
}

#[test]
fn t_rec_04_a_failed_listing_is_repeated_and_a_change_brings_it_forward() {
    let now = start();
    let mut listings = Listings::begin(&only_tools(), now);
    begun(&mut listings, now);
    let failure = Failure::new(FailureClass::Timeout, "no answer");
    assert!(listings.finished(ListKind::Tools, 1, Some(&failure), now, &mut random()));
    assert_eq!(listings.problems().collect::<Vec<_>>(), [(ListKind::Tools, &failure)]);
    assert!(listings.next_wakeup(false).unwrap() > now + Duration::from_secs(1));
    listings.changed(ListKind::Tools, now);
    assert_eq!(listings.next_wakeup(false), Some(now + LEAST_GAP));
}

#[test]
fn a_list_that_is_not_offered_is_never_fetched() {
    let now = start();
    let mut listings = Listings::begin(&only_tools(), now);
    begun(&mut listings, now);
    listings.changed(ListKind::Prompts, now);
    assert_eq!(begun(&mut listings, now + LEAST_GAP), []);
}

#[test]
fn slow_resources_hold_up_the_first_use_only_for_a_while() {
    let now = start();
    let mut listings = Listings::begin(&Opened { tools: true, resources: true, ..Opened::default() }, now);
    begun(&mut listings, now);
    assert!(listings.finished(ListKind::Tools, 1, None, now, &mut random()));
    assert!(!listings.is_first_look_over(now));
    assert_eq!(listings.next_wakeup(true), Some(now + SECONDARY_GRACE));
    assert!(listings.is_first_look_over(now + SECONDARY_GRACE));
}
