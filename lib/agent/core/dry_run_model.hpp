#pragma once

#include <weft/model/chat_model.hpp>

#include <cstddef>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace weft::agent_detail {

/** Stands in for a model where none is configured: says what a function makes of the request, at once and for nothing.
 *  What it says depends on the request and on what the function sees, so a resumed run goes on alike.
 *
 *  @par Thread safety   As the function. */
class dry_run_model final : public chat_model {
public:
    /** Must not throw `model_error`: a dry run does not fail as a model does. */
    using speaker = std::function<message(const chat_request&)>;

    explicit dry_run_model(speaker says) : says_{std::move(says)} {}
    [[nodiscard]] std::string_view label() const noexcept override { return "a rehearsal"; }

private:
    [[nodiscard]] task<chat_reply> do_reply(chat_request request, chat_sink& sink) override;

    speaker says_;
};

/** The line of a script for the reply with this index; behind its end the last one again.
 *  @param script   Not empty. */
[[nodiscard]] const std::string& scripted_line(const std::vector<std::string>& script, std::size_t index) noexcept;

}  // namespace weft::agent_detail
