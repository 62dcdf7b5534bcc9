#pragma once

#include <weft/model/chat_model.hpp>

#include <memory>
#include <string>
#include <vector>

namespace weft::agent_detail {

/** A model for chat agents of files where none is configured: says what a script has, one reply for each call since the
 *  user spoke, behind its end the last one again; without a script that this is a dry run, or, where a schema is
 *  asked for, a plain answer that fits it. To agents that say how they stand it adds that it is done, if a reply says
 *  nothing of the kind. */
[[nodiscard]] std::shared_ptr<chat_model> make_agent_dry_run(std::vector<std::string> script);

}  // namespace weft::agent_detail
