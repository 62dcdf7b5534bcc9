#pragma once

#include <weft/async/task.hpp>
#include <weft/model/chat_reply.hpp>
#include <weft/model/chat_request.hpp>
#include <weft/model/chat_sink.hpp>
#include <weft/model/model_error.hpp>

#include <functional>
#include <memory>

namespace weft {

/** Whether an endpoint refused a request because of its `temperature` or `top_p`, as models that reason do. */
[[nodiscard]] bool refuses_sampling(const model_error& failed);

/** Asks once more without `temperature` and `top_p` when an endpoint refuses them, and from then on without them at
 *  once when the same model is asked (`chat_request::model`). Such a reply has a warning that says so.
 *
 *  Judges, routers and agents ask for a low temperature; which models bear that is known to their providers only.
 *
 *  @par Thread safety   From any OS thread; copies share what they have learnt. */
class sampling_refusal {
public:
    using ask_function = std::function<task<chat_reply>(chat_request, chat_sink&)>;

    sampling_refusal();

    /** @par Errors      Those of `ask`.
     *  @par Lifetimes   `sink` outlives the task. */
    [[nodiscard]] task<chat_reply> ask(chat_request request, chat_sink& sink, ask_function ask) const;

private:
    class memory;

    [[nodiscard]] static task<chat_reply> ask_and_learn(std::shared_ptr<memory> refused, chat_request request,
                                                        chat_sink& sink, ask_function ask);

    std::shared_ptr<memory> refused_;
};

}  // namespace weft
