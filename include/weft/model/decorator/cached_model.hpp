#pragma once

#include <weft/model/chat_model.hpp>
#include <weft/model/decorator/reply_cache.hpp>

#include <memory>
#include <string>
#include <string_view>

namespace weft {

/** How a cached model uses its cache. */
struct cached_model_options {
    /** Models that share a cache and a name share replies; empty: the label of the model. */
    std::string name{};
    /** A request whose label of this name says `bypass` neither reads nor writes the cache. */
    std::string bypass_label = "cache";
};

/** Asks each question once and answers it from memory afterwards.
 *
 *      weft::reply_cache cache{{.keep_for = 10min}};
 *      auto model = std::make_shared<weft::cached_model>(endpoint, cache);
 *
 *  Questions are equal if `request_key` is. A kept reply is given to the sink as deltas, each part in one piece; it has
 *  used no tokens, cost nothing and taken no attempt. Equal calls at the same time are made once: the others wait, at
 *  the pace of the first one's sink, and share its reply or its error; if it is stopped, one of them makes the call.
 *  Errors, and replies that were cut, withheld or paused, are not kept.
 *
 *  @par Errors          What the model throws.
 *  @par Cancellation    While it waits for another call at once, without harm to that; else as the model says.
 *  @par Thread safety   From any loop, if the model is; one cache may serve several loops.
 */
class cached_model final : public chat_model {
public:
    cached_model(std::shared_ptr<chat_model> model, reply_cache cache, cached_model_options options = {});

    [[nodiscard]] std::string_view label() const noexcept override { return model_->label(); }

private:
    [[nodiscard]] task<chat_reply> do_reply(chat_request request, chat_sink& sink) override;
    [[nodiscard]] task<chat_reply> lead(chat_request request, chat_sink& sink, reply_cache::lookup& place);

    std::shared_ptr<chat_model> model_;
    reply_cache cache_;
    cached_model_options options_;
};

}  // namespace weft
