#pragma once

#include <weft/base/text/trace_context.hpp>
#include <weft/model/chat/forwarding_sink.hpp>
#include <weft/model/chat_reply.hpp>
#include <weft/model/chat_request.hpp>

#include <cstdint>
#include <exception>
#include <memory>
#include <string_view>

namespace weft::model_detail {

/** The span of a call of a model, from its request to its reply.
 *
 *  @par Lifetimes   The sink outlives it. */
class chat_span final : public forwarding_sink {
public:
    /** @param request   Has a trace that is recorded. From now on the span is the innermost of its trace.
     *  @param label     Of the model. */
    chat_span(chat_request& request, std::string_view label, chat_sink& target);

    void end(const chat_reply& reply);
    void end(const std::exception_ptr& failed);

    void on_text(std::string_view piece) override { note_piece(), forwarding_sink::on_text(piece); }
    void on_reasoning(std::string_view piece) override { note_piece(), forwarding_sink::on_reasoning(piece); }
    void on_tool_call(std::size_t slot, std::string_view id, std::string_view name) override
    {
        note_piece(), forwarding_sink::on_tool_call(slot, id, name);
    }

private:
    void note_piece() noexcept
    {
        if (first_piece_ == 0) first_piece_ = recorder_->now();
    }
    void tell(const chat_reply& reply);
    void record();

    std::shared_ptr<span_recorder> recorder_;
    span span_;
    std::int64_t first_piece_ = 0;  // 0: none has come
};

/** What a label of a model says. */
struct named_model {
    std::string_view model;
    std::string_view host;
    std::int64_t port = 0;
    /** Who serves the model, in the words of OpenTelemetry; of endpoints that it has no word for the host. */
    std::string_view provider;
};

/** @param label   As `chat_model::label`. */
[[nodiscard]] named_model named_by(std::string_view label) noexcept;

}  // namespace weft::model_detail
