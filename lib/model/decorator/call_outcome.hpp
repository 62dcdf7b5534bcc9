#pragma once

#include <weft/model/chat_model.hpp>
#include <weft/model/model_error.hpp>

#include <exception>
#include <memory>
#include <optional>
#include <string>

namespace weft::model_detail {

/** How one call of another model ended: with a reply or with an error. */
struct call_outcome {
    call_outcome() {}  // declared: see docs/COMPILERS.md
    std::optional<chat_reply> reply;
    std::exception_ptr error;
};

/** Calls a model and throws nothing. */
[[nodiscard]] task<call_outcome> try_call(std::shared_ptr<chat_model> model, chat_request request, chat_sink& sink);

/** What is known about a failed call, whatever was thrown. */
[[nodiscard]] model_failure failure_of(const std::exception_ptr& cause);

/** The model and endpoint that an error names; empty if none. */
[[nodiscard]] std::string where_of(const std::exception_ptr& cause);

/** What a failed call has probably been charged: what was reported; nothing if the endpoint refused it or was never
 *  reached; else a call whose usage is not known. */
[[nodiscard]] usage spent_by(const model_failure& failure) noexcept;

/** Adds what other calls for a reply used. Its cost is not known any more then. */
void add_spent(chat_reply& reply, const usage& spent);

/** Names the call at the provider, unless it has a name. */
void name_call(chat_request& request, serial_loop& loop);

}  // namespace weft::model_detail
