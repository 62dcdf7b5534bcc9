#pragma once

#include <weft/graph/node/question.hpp>
#include <weft/store/record/journal.hpp>

#include <boost/json/value.hpp>

#include <cstdint>
#include <map>
#include <string>
#include <utility>

namespace weft {

/** What a run does when everything that is left of it waits for answers. */
enum class interrupts : std::uint8_t {
    pause,  ///< It ends `paused`, with its questions in the result. What waited starts again when the run is resumed.
    park,   ///< It waits for `run_handle::answer`.
};

/** A question of a run that has no answer yet. */
class open_question {
public:
    open_question() noexcept {}
    open_question(std::string address, question asked, wall_time asked_at)
        : address{std::move(address)}, asked{std::move(asked)}, asked_at{asked_at}
    {
    }

    std::string address;    ///< Nodes with visits and the question's count in the visit: `outer#1/plan#2/ask#0`.
    question asked;
    wall_time asked_at;     ///< When it was first asked.
    std::string refused;    ///< Why an answer that was given for it was not taken; empty: none was.
};

/** Answers by address of the question. */
using question_answers = std::map<std::string, boost::json::value>;

}  // namespace weft
