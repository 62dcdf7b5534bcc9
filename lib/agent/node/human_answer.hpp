#pragma once

#include <weft/agent/node/human.hpp>
#include <weft/graph/state/value.hpp>

#include <boost/json/value.hpp>

#include <string>

namespace weft::agent_detail {

/** What an answer is to the key it is for. */
struct human_answer {
    value_ptr value;    ///< Null if the answer does not fit.
    std::string fault;  ///< Then why.
};

/** Reads the answer to a question as a value of a type. */
[[nodiscard]] human_answer read_answer(const boost::json::value& answer, const human_question& question,
                                        const value_type& type);

}  // namespace weft::agent_detail
