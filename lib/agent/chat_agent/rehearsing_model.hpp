#pragma once

#include <weft/model/chat_model.hpp>

#include <string>
#include <vector>

namespace weft::agent_detail {

/** A model for files where none is configured: says what a script has, one reply for each call in a turn, the last one
 *  again and again; without a script that this is a rehearsal, or, where a schema is asked for, a plain answer that
 *  fits it. To agents that say how they stand it adds that it is done, if a reply says nothing of the kind. */
class rehearsing_model final : public chat_model {
public:
    explicit rehearsing_model(std::vector<std::string> script) : script_{std::move(script)} {}
    [[nodiscard]] std::string_view label() const noexcept override { return "a rehearsal"; }

private:
    [[nodiscard]] task<chat_reply> do_reply(chat_request request, chat_sink& sink) override;

    std::vector<std::string> script_;
};

}  // namespace weft::agent_detail
