#pragma once

#include "store_place.hpp"

#include <weft/engine/scheduler/open_question.hpp>
#include <weft/store/record/journal.hpp>
#include <weft/store/record/thread_key.hpp>

#include <boost/json/object.hpp>

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace weft_cli {

/** The node that asks, out of a question's address: `review` of `outer#1/review#2/ask#0`. */
[[nodiscard]] std::string_view node_of_address(std::string_view address);

/** A question for people: its text, what may be answered, its help.
 *  @param indent   Blanks in front of the lines behind the first. */
[[nodiscard]] std::string question_text(const weft::question& asked, std::size_t indent = 0);

/** All open questions for people, each below its address. */
[[nodiscard]] std::string questions_text(const std::vector<weft::open_question>& open);

/** For programs: `address`, `asked_at`, and what `to_json(question)` says. */
[[nodiscard]] boost::json::object to_json(const weft::open_question& open);

/** What was said for questions: by address, or by the name of the node that asks. */
using said_answers = std::map<std::string, std::string>;

/** Reads what a person answers: `ADDRESS=TEXT`, `NODE=TEXT` if that node asks one question only, or `TEXT` if there is
 *  only one question at all. Each text is read as `parse_answer` does.
 *
 *  @par Errors   `usage_error`: no such question is open, it is not clear which one is meant, one is answered twice, or
 *                an answer does not fit. */
[[nodiscard]] weft::question_answers answers_to(const std::vector<weft::open_question>& open,
                                                const std::vector<std::string>& args);

/** The commands that answer what a thread asks and go on with it. */
[[nodiscard]] std::string answering_commands(const std::vector<weft::open_question>& open, const std::string& thread,
                                             const std::string& graph_option, const store_place& place);

/** The open questions of a thread, oldest first. */
[[nodiscard]] weft::task<std::vector<weft::open_question>> read_questions(weft::checkpoint_store& store,
                                                                         weft::thread_key thread);
/** What the visits under way in a thread have written down of their effects. */
[[nodiscard]] weft::task<std::vector<weft::effect_record>> read_effects(weft::checkpoint_store& store,
                                                                        weft::thread_key thread);

}  // namespace weft_cli
