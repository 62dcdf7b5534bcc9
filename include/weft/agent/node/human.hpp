#pragma once

#include <weft/async/task.hpp>

#include <boost/describe/enum.hpp>
#include <boost/json/value.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace weft {

/** What kind of answer a person is asked for. */
enum class question_form : std::uint8_t {
    text,      ///< Anything that fits the key.
    choice,    ///< One of the options.
    approval,  ///< Yes or no.
};
BOOST_DESCRIBE_ENUM(question_form, text, choice, approval)

/** What a person is asked. A value. */
struct human_question {
    // Declared, so that a temporary survives g++ 12 inside a co_await expression (docs/COMPILERS.md).
    human_question() {}

    std::string node;                   ///< Who asks.
    std::string thread;                 ///< The conversation that the run belongs to; may be empty.
    std::uint32_t visit = 1;            ///< Which visit of the node this is in the run, from 1.
    std::string text;                   ///< The question.
    question_form form = question_form::text;
    std::vector<std::string> options;   ///< Of a choice.
    std::string key;                    ///< The key that the answer is for.
    std::string expected;               ///< What fits the key, in words: `a whole number`.
    std::uint32_t asked = 0;            ///< How often it was asked before in this visit.
    std::string refused;                ///< Why the answer before was not taken; empty at first.
};

/** A person who answers questions of nodes: at a terminal, in a browser, in a test.
 *
 *  @par Thread safety   `ask` is called on the loop of the run that asks: from any OS thread where runs are spread over
 *                       several, and again before the answer to another question is there where branches run in
 *                       parallel. A terminal that shows one question at a time queues them.
 */
class human {
public:
    virtual ~human() = default;

    /** Asks one question.
     *
     *  @return              The answer: for a text a string, or a JSON value that fits the key; for a choice one of the
     *                       options; for an approval true or false, or a word for it. Anything else is asked again.
     *
     *  @par Errors          What it throws fails the node, and goes on along its failure edge: no person is there, the
     *                       person refuses to answer.
     *  @par Cancellation    A stop of the run or the node's timeout withdraws the question: the task ends with
     *                       `errc::cancelled`, soon, and must not wait for the person. */
    [[nodiscard]] virtual task<boost::json::value> ask(human_question question) = 0;

protected:
    human() = default;
    human(const human&) = default;
    human& operator=(const human&) = default;
};

}  // namespace weft
