//! The demo's prompts.

use rmcp::model::{
    ErrorData, GetPromptRequestParams, GetPromptResult, Prompt, PromptArgument, PromptMessage, Role,
};
use serde_json::Value;

/// Lists the prompts.
pub(super) fn all() -> Vec<Prompt> {
    let name = PromptArgument::new("name").with_description("Who is greeted.").with_required(true);
    let text = PromptArgument::new("text").with_description("What is to be summarised.").with_required(true);
    let words = PromptArgument::new("words")
        .with_description("How many words the summary may have; 50 when it is left out.")
        .with_required(false);
    vec![
        Prompt::new("greet", Some("Asks for a greeting."), Some(vec![name])).with_title("Greet"),
        Prompt::new("summarise", Some("Asks for a summary of a text."), Some(vec![text, words]))
            .with_title("Summarise"),
    ]
}

/// Fills in a prompt.
pub(super) fn get(request: &GetPromptRequestParams) -> Result<GetPromptResult, ErrorData> {
    let (description, text) = match request.name.as_str() {
        "greet" => {
            let name = required(request, "name")?;
            ("A greeting", format!("Greet {name} warmly, in one sentence."))
        }
        "summarise" => {
            let text = required(request, "text")?;
            let words = argument(request, "words").unwrap_or("50");
            ("A summary", format!("Summarise the following text in at most {words} words.\n\n{text}"))
        }
        name => return Err(ErrorData::invalid_params(format!("unknown prompt {name:?}"), None)),
    };
    let message = PromptMessage::new_text(Role::User, text);
    Ok(GetPromptResult::new(vec![message]).with_description(description))
}

fn required<'a>(request: &'a GetPromptRequestParams, name: &str) -> Result<&'a str, ErrorData> {
    argument(request, name).ok_or_else(|| {
        ErrorData::invalid_params(format!("the prompt {:?} needs the argument {name:?}", request.name), None)
    })
}

fn argument<'a>(request: &'a GetPromptRequestParams, name: &str) -> Option<&'a str> {
    request.arguments.as_ref()?.get(name).and_then(Value::as_str)
}
