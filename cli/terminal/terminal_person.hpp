#pragma once

#include <weft/agent/node/human.hpp>
#include <weft/async/wait/slot_limiter.hpp>

#include <functional>
#include <map>
#include <optional>
#include <string>

namespace weft_cli {

/** A question as a person at a terminal reads it, with a prompt at its end. Texts of nodes are made harmless. */
[[nodiscard]] std::string question_text(const weft::human_question& question);

/** What a line that was typed answers: of a choice also the number of the option, of any other the line. */
[[nodiscard]] boost::json::value answer_in(const std::string& line, const weft::human_question& question);

/** The person who runs the program: answers by `--answer`, and else at the terminal, one question after another.
 *
 *  @par Thread safety   None: for runs on one loop.
 */
class terminal_person final : public weft::human {
public:
    /** @param answers   By node, what is said instead of being asked. */
    explicit terminal_person(std::map<std::string, std::string> answers) : answers_{std::move(answers)} {}

    /** @par Errors  `errc::invalid_configuration`: there is no terminal, the terminal was closed, or what was said
     *               by `--answer` does not fit. */
    [[nodiscard]] weft::task<boost::json::value> ask(weft::human_question question) override;

    /** Shows a text and waits for a line: one caller after another.
     *  @return              The line with its end; nothing if there is no terminal, or it was closed.
     *  @par Cancellation    `errc::cancelled`, at once. */
    [[nodiscard]] weft::task<std::optional<std::string>> read_line(std::string shown);

    /** Called before a question is written and after its end, so that a drawing on the terminal steps aside. */
    void on_turn(std::function<void(bool begins)> turn) { turn_ = std::move(turn); }

private:
    [[nodiscard]] weft::task<boost::json::value> ask_at_terminal(weft::human_question question);

    std::map<std::string, std::string> answers_;
    weft::slot_limiter gate_{1};
    std::function<void(bool begins)> turn_;
};

}  // namespace weft_cli
