use mcp_types::object::to_raw;
use proptest::prelude::*;

use super::*;

fn rules(max_bytes: usize, max_lines: usize) -> GuardRules {
    GuardRules { enabled: true, max_bytes, max_lines }
}

fn finished(rules: &GuardRules, output: ToolOutput) -> Guarded {
    apply(rules, output).with_spill_path(Ok(PathBuf::from("/spill/output-1.txt")))
}

#[test]
fn adapter_34_7_three_thousand_lines_become_a_preview_and_a_notice() {
    let text = vec!["line"; 3_000].join("\n");
    let guarded = apply(&GuardRules::default(), ToolOutput::text(text.clone()));
    assert_eq!(guarded.spill, Some(SpillPlan { text }));
    let guarded = guarded.with_spill_path(Ok(PathBuf::from("/spill/output-1.txt")));
    let report = guarded.report.unwrap();
    assert_eq!((report.original_lines, report.returned_lines), (3_000, 2_000));
    let shown = guarded.output.joined_text();
    let notice = shown.lines().last().unwrap();
    assert_eq!(
        notice,
        "[Output cut: 3000 lines, 14.6 KiB in all. The whole is in /spill/output-1.txt; read or search that file for the rest.]"
    );
}

#[test]
fn a_failed_write_still_cuts_and_tells_why() {
    let guarded =
        apply(&rules(300, 10), ToolOutput::text("x".repeat(1_000))).with_spill_path(Err("disk full".into()));
    assert!(guarded.output.joined_text().ends_with("The whole could not be kept: disk full.]"));
    assert_eq!(guarded.report.unwrap().write_error.as_deref(), Some("disk full"));
}

#[test]
fn images_pass_and_are_counted() {
    let output = ToolOutput {
        content: vec![
            ContentBlock::text("y".repeat(500)),
            ContentBlock::image("A".repeat(9_000), "image/png"),
        ],
        ..ToolOutput::default()
    };
    let guarded = finished(&rules(300, 10), output);
    assert_eq!(guarded.report.unwrap().image_blocks_passed_through, Some(1));
    assert!(matches!(guarded.output.content.get(1), Some(ContentBlock::Image { .. })));
}

#[test]
fn large_structured_content_goes_into_the_file() {
    let output = ToolOutput {
        content: vec![ContentBlock::text("short")],
        structured_content: Some(to_raw(&"z".repeat(1_000))),
        ..ToolOutput::default()
    };
    let guarded = apply(&rules(300, 10), output);
    assert!(guarded.spill.as_ref().unwrap().text.contains(&"z".repeat(1_000)));
    let guarded = guarded.with_spill_path(Ok(PathBuf::from("/p")));
    assert!(guarded.output.structured_content.is_none());
    assert!(guarded.output.joined_text().starts_with("short"));
}

#[test]
fn small_structured_content_stays_beside_a_cut_text() {
    let output = ToolOutput {
        content: vec![ContentBlock::text("y".repeat(1_000))],
        structured_content: Some(to_raw(&7)),
        ..ToolOutput::default()
    };
    let guarded = finished(&rules(300, 10), output);
    assert_eq!(guarded.output.structured_content.unwrap().get(), "7");
    assert_eq!(guarded.report.unwrap().structured_content_omitted, None);
}

#[test]
fn x_res_01_of_a_large_blob_the_model_sees_what_it_is_and_the_file_has_all() {
    let blob = "A".repeat(2_000);
    let text = format!(
        r#"{{"content":[{{"type":"resource","resource":{{"uri":"mem://x","mimeType":"application/pdf","blob":"{blob}"}}}}]}}"#
    );
    let guarded = apply(&rules(300, 10), ToolOutput::parse(&text).unwrap());
    assert!(guarded.spill.as_ref().unwrap().text.contains(&blob));
    let shown = guarded.with_spill_path(Ok(PathBuf::from("/p"))).output.joined_text();
    assert!(
        shown.starts_with(
            "[Resource: mem://x]\n(application/pdf, 2.0 KiB of Base64 not shown)\n\n[Output cut:"
        )
    );
}

#[test]
fn adapter_17_within_the_limits_a_resource_is_untouched() {
    let text = r#"{"content":[{"type":"resource","resource":{"uri":"mem://x","text":"t","_meta":{"k":1}}}]}"#;
    let output = ToolOutput::parse(text).unwrap();
    assert_eq!(serde_json::to_string(&finished(&GuardRules::default(), output).output).unwrap(), text);
}

#[test]
fn a_large_meta_does_not_slip_past_a_short_text() {
    let meta = "m".repeat(1_000);
    let rows = [
        format!(r#"{{"content":[{{"type":"text","text":"t","_meta":"{meta}"}}]}}"#),
        format!(
            r#"{{"content":[{{"type":"resource","resource":{{"uri":"u","text":"t","_meta":"{meta}"}}}}]}}"#
        ),
        format!(r#"{{"content":[{{"type":"text","text":"t"}}],"_meta":"{meta}"}}"#),
    ];
    for text in rows {
        let guarded = finished(&rules(300, 10), ToolOutput::parse(&text).unwrap());
        assert!(!serde_json::to_string(&guarded.output).unwrap().contains(&meta), "{text}");
    }
}

#[test]
fn empty_blocks_count_as_lines() {
    let output = ToolOutput { content: vec![ContentBlock::text(""); 11], ..ToolOutput::default() };
    assert!(finished(&rules(300, 10), output).report.is_some());
}

#[test]
fn a_guard_that_is_off_lets_all_pass() {
    let output = ToolOutput::text("x".repeat(100_000));
    let off = GuardRules { enabled: false, ..GuardRules::default() };
    assert_eq!(apply(&off, output.clone()).output, output);
}

proptest! {
    #[test]
    fn a_guarded_output_never_exceeds_its_limits(
        texts in proptest::collection::vec(prop_oneof!["(.|\n){0,200}", "\n{0,3}"], 0..8),
        structured in proptest::option::of(".{0,400}"),
        max_bytes in 1_usize..400,
        max_lines in 1_usize..12,
    ) {
        let output = ToolOutput {
            content: texts.into_iter().map(ContentBlock::text).collect(),
            structured_content: structured.map(|text| to_raw(&text)),
            ..ToolOutput::default()
        };
        let guarded = finished(&rules(max_bytes, max_lines), output.clone());
        let text = guarded.output.joined_text();
        prop_assert!(text.len() <= max_bytes, "{} > {max_bytes}", text.len());
        prop_assert!(lines(&text) <= max_lines, "{} > {max_lines}", lines(&text));
        prop_assert!(guarded.output.structured_content.as_ref().is_none_or(|raw| raw.get().len() <= max_bytes));
        if guarded.report.is_none() {
            prop_assert_eq!(guarded.output, output);
        }
    }

    #[test]
    fn a_cut_is_a_prefix_between_characters(text in "(.|\n){0,80}", max_lines in 0_usize..9, max_bytes in 0_usize..90) {
        let shown = cut(&text, max_lines, max_bytes);
        prop_assert!(text.starts_with(shown) && shown.len() <= max_bytes && lines(shown) <= max_lines.max(1));
    }
}
