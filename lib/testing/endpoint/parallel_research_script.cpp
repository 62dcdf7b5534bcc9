#include <weft/testing/endpoint/parallel_research_script.hpp>

#include <weft/base/utf8.hpp>

#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <string>
#include <string_view>

namespace weft::testing {

namespace {

using request = scripted_endpoint_request;
using std::chrono::milliseconds;

constexpr std::size_t topic_bytes_max = 200;

// By these the writer and the judge know each other's texts.
constexpr std::string_view first_draft_mark = "(first draft)";
constexpr std::string_view second_draft_mark = "(second draft)";
constexpr std::string_view feedback_mark = "say which of them agree";

constexpr std::string_view plan_text =
    "1. web: what people who live with {topic} write about it today, and what they argue about\n"
    "2. papers: what research on {topic} has shown, how firmly, and where it contradicts itself\n"
    "3. data: which figures about {topic} are public, how they changed, and how far to trust them";

constexpr std::string_view web_text =
    "Most pages about {topic} repeat a handful of claims. Three come back everywhere: it matters "
    "more than it used to, it is easier to begin with than people fear, and the first year decides. "
    "Practitioners are more careful. They describe what went wrong, what it cost, and what they "
    "would do again. The liveliest dispute is whether {topic} can be learned from others at all.";

constexpr std::string_view papers_text =
    "Eleven reviews on {topic} were worth reading; four of them carry the field. They agree on the "
    "direction of the effect and disagree on its size, by a factor of three. The large estimates "
    "come from small studies that nobody has repeated. The two preregistered studies find about "
    "half of what the older ones do. What is well supported: gradual change beats sudden change, "
    "and context explains more than method. What is not: every claim about {topic} that is older "
    "than ten years and still quoted without its limits. No paper compares the costs.";

constexpr std::string_view data_text =
    "Two public series cover {topic}. The longer one goes back 31 years, was redefined once, and "
    "shows a rise of 2.4 % a year with one dip. The newer one is finer and starts too late to see "
    "the dip. Together they say: the trend is real, its recent turn may not be. One value in twenty "
    "is missing, mostly from small places, so that averages flatter the whole.";

constexpr std::string_view first_draft_text =
    "# {topic} {mark}\n\n"
    "Those who deal with {topic} every day, those who study it and those who count it tell three "
    "different stories. On the web it is a matter of experience. In papers it is a modest effect "
    "that grows with context. In the data it is a steady rise of 2.4 % a year.\n\n"
    "Taken together, {topic} deserves attention and patience rather than haste. Begin small, keep "
    "what works, and expect half of what the enthusiasts promise.";

constexpr std::string_view second_draft_text =
    "# {topic} {mark}\n\n"
    "After the feedback, this draft sets the sources against each other before it concludes.\n\n"
    "**Where they agree.** All three say that {topic} changes gradually. Practitioners feel it, the "
    "reviews measure it, and the longer of the two series shows it: 2.4 % a year over 31 years.\n\n"
    "**Where they differ.** The web promises about twice of what the two preregistered studies "
    "find. The data cannot decide between them, because one value in twenty is missing and the "
    "series was redefined once.\n\n"
    "**What is open.** Nobody has compared the costs, and the recent turn in the figures may be "
    "noise.\n\n"
    "**What to do.** Begin small, measure from the first day, and judge {topic} by your own figures "
    "after a year.";

constexpr std::string_view first_feedback =
    "Readable, but the three sources stand side by side. Set them against each other, say which of "
    "them agree, name what is open, and give the figures their limits.";

constexpr std::string_view second_feedback =
    "The sources are weighed, the open questions are named, and the advice follows from them.";

bool contains(std::string_view text, std::string_view part)
{
    return text.find(part) != std::string_view::npos;
}

std::string_view line_at(std::string_view text, std::size_t begin)
{
    std::string_view line = text.substr(begin, text.find('\n', begin) - begin);
    while (!line.empty() && line.front() == ' ') line.remove_prefix(1);
    while (!line.empty() && (line.back() == ' ' || line.back() == '\r')) line.remove_suffix(1);
    return line;
}

// What follows `label` up to the end of its line; empty without such a label.
std::string_view labelled(std::string_view text, std::string_view label)
{
    const std::size_t at = text.find(label);
    return at == std::string_view::npos ? std::string_view{} : line_at(text, at + label.size());
}

std::string topic_of(const request& r)
{
    const std::string user = r.last_user_text();
    std::string_view topic = labelled(user, "Topic:");
    if (topic.empty()) topic = line_at(user, 0);
    topic = truncated_utf8(topic, topic_bytes_max);
    return topic.empty() ? "the topic" : std::string{topic};
}

std::string filled(std::string_view text, std::string_view name, std::string_view value)
{
    std::string result;
    for (std::size_t at = text.find(name); at != std::string_view::npos; at = text.find(name)) {
        result.append(text.substr(0, at)).append(value);
        text.remove_prefix(at + name.size());
    }
    return result.append(text);
}

std::string about_topic(std::string_view text, const request& r, std::string_view mark = {})
{
    return filled(filled(text, "{mark}", mark), "{topic}", topic_of(r));
}

struct researcher {
    std::string_view name;
    std::string_view findings;
    milliseconds first_token;
    milliseconds between_tokens;
};

constexpr std::array<researcher, 3> researchers{{
    {"web", web_text, milliseconds{350}, milliseconds{32}},
    {"papers", papers_text, milliseconds{900}, milliseconds{33}},
    {"data", data_text, milliseconds{600}, milliseconds{40}},
}};

// The researcher whose name comes first in the text; null when it names none.
const researcher* first_named(std::string_view text)
{
    const researcher* first = nullptr;
    std::size_t first_at = std::string_view::npos;
    for (const researcher& candidate : researchers) {
        const std::size_t at = text.find(candidate.name);
        if (at >= first_at) continue;
        first_at = at;
        first = &candidate;
    }
    return first;
}

// The prompts of the sample say who speaks: what is in them tells which step asks.
scripted_reply plan(const request& r)
{
    return text(about_topic(plan_text, r))
        .first_token(milliseconds{500})
        .between_tokens(milliseconds{28})
        .jitter(0.5);
}

scripted_reply research(const request& r)
{
    const std::string user = r.last_user_text();
    const researcher* who = first_named(labelled(user, "Angle:"));
    if (!who) who = first_named(r.system_text());
    if (!who) who = first_named(user);
    if (!who)
        return status(400, "the script researches web, papers or data, and the request names none");
    return text(about_topic(who->findings, r))
        .first_token(who->first_token)
        .between_tokens(who->between_tokens)
        .jitter(0.5);
}

scripted_reply write(const request& r)
{
    const std::string user = r.text_of("user");
    const bool is_second = contains(user, first_draft_mark) || contains(user, feedback_mark);
    return text(is_second ? about_topic(second_draft_text, r, second_draft_mark)
                          : about_topic(first_draft_text, r, first_draft_mark))
        .first_token(milliseconds{500})
        .between_tokens(milliseconds{21})
        .jitter(0.5);
}

// One round of criticism and then praise, so that a loop of the sample is seen and ends.
scripted_reply judge(const request& r)
{
    const bool is_second = contains(r.text_of("user"), second_draft_mark);
    const std::string_view feedback = is_second ? second_feedback : first_feedback;
    return text("{\"score\": " + std::string{is_second ? "0.9" : "0.62"} + ", \"feedback\": " +
                boost::json::serialize(boost::json::string_view{feedback}) + "}")
        .first_token(milliseconds{400})
        .between_tokens(milliseconds{20})
        .jitter(0.5);
}

}  // namespace

void parallel_research_script(scripted_endpoint& endpoint)
{
    endpoint.when(system_contains("You plan")).reply_always(plan);
    endpoint.when(system_contains("You research")).reply_always(research);
    endpoint.when(system_contains("You write")).reply_always(write);
    endpoint.when(system_contains("You judge")).reply_always(judge);
}

}  // namespace weft::testing
