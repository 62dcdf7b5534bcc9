#include "question_text.hpp"

#include "graph/run_input.hpp"
#include "terminal/console.hpp"
#include "terminal/people_lines.hpp"
#include "terminal/shell_word.hpp"

#include <weft/base/error.hpp>
#include <weft/base/json/json_text.hpp>
#include <weft/engine/durable_engine.hpp>
#include <weft/engine/trace/run_event_json.hpp>
#include <weft/graph/answer_parsing.hpp>
#include <weft/graph/node/event_question.hpp>
#include <weft/graph/spec/spec_mistake.hpp>

#include <algorithm>
#include <memory>
#include <optional>

namespace weft_cli {

namespace {

using open_questions = std::vector<weft::open_question>;

std::string known_questions(const open_questions& open, std::string_view wrong)
{
    if (open.empty()) return ": no question is open";
    std::vector<std::string_view> known;
    for (const weft::open_question& each : open) known.push_back(each.address);
    return weft::known_names(wrong, known);
}

/** The question of an address, or the only one of a node. */
const weft::open_question& question_for(const open_questions& open, const std::string& name)
{
    const weft::open_question* only = nullptr;
    std::size_t count = 0;
    for (const weft::open_question& each : open) {
        if (each.address == name) return each;
        if (node_of_address(each.address) != name) continue;
        only = &each;
        ++count;
    }
    if (count > 1)
        throw usage_error{"'" + name + "' asks " + std::to_string(count) +
                          " questions: write the address of the one that is meant" + known_questions(open, name)};
    if (!only) throw usage_error{"nothing asks '" + name + "'" + known_questions(open, name)};
    return *only;
}

/** The place of the = behind an address: addresses of open questions may have one in them. */
std::size_t end_of_name(const open_questions& open, const std::string& word)
{
    for (const weft::open_question& each : open)
        if (word.starts_with(each.address + "=")) return each.address.size();
    return word.find('=');
}

/** Something that would be taken as an answer. */
std::string example_answer(const weft::question& asked)
{
    switch (asked.kind) {
    case weft::question_kind::selection: return asked.options.empty() ? "1" : asked.options.front();
    case weft::question_kind::approval: return "yes";
    case weft::question_kind::multi_field: return "{…}";
    case weft::question_kind::structured: return "…";
    case weft::question_kind::free_text: break;
    }
    return "…";
}

}  // namespace

std::string_view node_of_address(std::string_view address)
{
    address = address.substr(0, address.rfind('/'));  // without the question in the visit
    const std::size_t begin = address.rfind('/');
    if (begin != address.npos) address.remove_prefix(begin + 1);
    return address.substr(0, address.rfind('#'));
}

std::string question_text(const weft::question& asked, std::size_t indent)
{
    const std::string margin(indent, ' ');
    std::string text = console::harmless(asked.text);
    if (asked.kind == weft::question_kind::approval) text += " [y/n]";
    if (!asked.is_required) text += " (may be left empty)";
    for (std::size_t i = 0; i < asked.options.size(); ++i)
        text += "\n  " + std::to_string(i + 1) + "  " + console::harmless_line(asked.options[i]);
    for (const weft::question_field& field : asked.fields)
        text += "\n  " + console::harmless_line(field.name) + (field.required ? "" : " (may be left out)") +
                (field.text.empty() ? "" : ": " + console::harmless_line(field.text));
    if (!asked.help.empty()) text += "\n" + console::harmless(asked.help);
    if (!asked.about.is_null()) text += "\nabout " + value_text(asked.about);
    std::string indented;
    for (std::size_t i = 0; i < text.size(); ++i) {
        indented.push_back(text[i]);
        if (text[i] == '\n' && i + 1 < text.size() && text[i + 1] != '\n') indented += margin;
    }
    return indented;
}

std::string questions_text(const open_questions& open)
{
    std::string text;
    for (const weft::open_question& each : open)
        text += "  " + console::harmless_line(each.address) + "\n      " + question_text(each.asked, 6) + "\n";
    return text;
}

boost::json::object to_json(const weft::open_question& open)
{
    boost::json::object json{{"address", open.address}, {"asked_at", weft::to_utc_text(open.asked_at)}};
    for (boost::json::key_value_pair& member : weft::to_json(open.asked))
        json.insert_or_assign(member.key(), std::move(member.value()));
    return json;
}

weft::question_answers answers_to(const open_questions& open, const std::vector<std::string>& args)
{
    weft::question_answers answers;
    for (const std::string& word : args) {
        const std::size_t end = end_of_name(open, word);
        if (end == word.npos && open.size() != 1)
            throw usage_error{"'" + word + "' does not say which question it answers: write ADDRESS=TEXT" +
                              known_questions(open, word)};
        const std::string name = end == word.npos ? std::string{} : word.substr(0, end);
        const weft::open_question& asked = end == word.npos ? open.front() : question_for(open, name);
        try {
            const std::string text = end == word.npos ? word : word.substr(end + 1);
            const bool is_new = answers.emplace(asked.address, weft::require_answer(asked.asked, text)).second;
            if (!is_new) throw usage_error{asked.address + " is answered twice"};
        } catch (const weft::error& e) {
            throw usage_error{"the answer to " + asked.address + " does not fit: " + e.detail()};
        }
    }
    return answers;
}

std::string answering_commands(const open_questions& open, const std::string& thread, const std::string& graph_option,
                               const store_place& place)
{
    const std::string rest = " " + shell_word(thread) + graph_option + place.option();
    if (open.empty()) return "  weft resume" + rest + "\n";
    std::string answers;
    for (const weft::open_question& each : open)
        answers += " --answer " + shell_word(each.address + "=" + example_answer(each.asked));
    const weft::open_question& first = open.front();
    std::string text = "  weft resume" + rest + answers + "\n";
    text += "or, from anywhere else, and then weft resume" + rest + ":\n";
    const std::string event{weft::event_at(first.address)};
    if (event.empty())
        text += "  weft answer " + shell_word(thread) + " " +
                shell_word(first.address + "=" + example_answer(first.asked)) + place.option() + "\n";
    else
        text += "  weft event " + shell_word(thread) + " " + shell_word(event) + " …" + place.option() + "\n";
    return text;
}

weft::task<open_questions> read_questions(weft::checkpoint_store& store, weft::thread_key thread)
{
    weft::durable_engine reader{store, std::make_shared<const weft::durable_graphs>()};
    open_questions open = co_await reader.questions(std::move(thread));
    co_return open;
}

weft::task<std::vector<weft::effect_record>> read_effects(weft::checkpoint_store& store, weft::thread_key thread)
{
    weft::durable_engine reader{store, std::make_shared<const weft::durable_graphs>()};
    std::vector<weft::effect_record> effects = co_await reader.effects(std::move(thread));
    co_return effects;
}

}  // namespace weft_cli
