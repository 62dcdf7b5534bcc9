#pragma once

#include <weft/base/chrono.hpp>
#include <weft/model/chat_model.hpp>
#include <weft/model/model_error.hpp>

#include <boost/json/object.hpp>

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace weft::testing {

/** What a scripted model does with one request: the pieces of its stream, in order, and how it ends.
 *
 *      scripted_turn{}.text("Let me ").text("look.").call("search", {{"query", "rain"}})
 *      scripted_turn{}.text("It r").wait(2s).fails(weft::errc::connection_lost)
 *
 *  @par Thread safety   As a value.
 */
class scripted_turn {
public:
    using duration = std::chrono::nanoseconds;
    using condition = std::function<bool(const chat_request&)>;
    using expectation = std::function<void(const chat_request&)>;

    scripted_turn() {}
    /** A reply that is one text. */
    explicit scripted_turn(std::string text) { this->text(std::move(text)); }

    /** @name The stream, in the order of the calls */
    ///@{
    scripted_turn& text(std::string piece);
    scripted_turn& reasoning(std::string piece);
    scripted_turn& refusal(std::string piece);
    /** A tool call. @param id   Without one: `call-1`, `call-2`…, counted by the model. */
    scripted_turn& call(std::string tool, boost::json::object arguments = {}, std::string id = {});
    /** One whose arguments are what a model may well write: anything. */
    scripted_turn& raw_call(std::string tool, std::string arguments, std::string id = {});
    /** Time passes, on the clock of the loop. */
    scripted_turn& wait(duration span);
    ///@}

    /** @name The end */
    ///@{
    scripted_turn& used(tokens input, tokens output);
    /** By default `tool_calls` with calls, else `stop`. */
    scripted_turn& stops(stop_reason reason);
    /** Behind the stream the call fails instead of giving its reply. */
    scripted_turn& fails(model_failure failure);
    /** The same, as a failure that may pass if that is usual for the code (`is_transient`). */
    scripted_turn& fails(errc code, std::string detail = "as scripted");
    ///@}

    /** @name The request */
    ///@{
    /** This turn is only for requests for which `holds`; others get a later one. For branches that ask side by side. */
    scripted_turn& when(condition holds);
    /** Looks at the request; what it throws fails the call, and `assert_complete` says it again. */
    scripted_turn& expects(expectation check);
    ///@}

private:
    friend class scripted_model;

    struct text_piece { std::string text; };
    struct reasoning_piece { std::string text; };
    struct refusal_piece { std::string text; };
    struct call_piece { std::string tool, arguments, id; };
    using piece = std::variant<text_piece, reasoning_piece, refusal_piece, call_piece, duration>;

    std::vector<piece> pieces_;
    std::optional<weft::usage> usage_;
    std::optional<stop_reason> stop_;
    std::optional<model_failure> failure_;
    condition when_;
    std::vector<expectation> expectations_;
};

/** A model that does what a test says, turn by turn. No endpoint, no network: for tests of agents and graphs.
 *
 *      auto model = std::make_shared<scripted_model>();
 *      model->then(scripted_turn{}.call("search", {{"query", "rain"}})).then(scripted_turn{"It rains."});
 *      …
 *      model->assert_complete();
 *
 *  A request gets the first turn that is left and whose condition holds. One that finds none fails with
 *  `errc::model_rejected`, which a retry does not mend, and `assert_complete` tells of it.
 *
 *  @par Cancellation    A call that is stopped or destroyed has used its turn.
 *  @par Thread safety   From any OS thread.
 */
class scripted_model final : public chat_model {
public:
    explicit scripted_model(std::string label = "scripted");
    ~scripted_model() override;

    /** Adds a turn. */
    scripted_model& then(scripted_turn turn);
    /** Adds the same turn several times. */
    scripted_model& then(const scripted_turn& turn, std::size_t times);
    /** What requests get for which no turn is left, however many. */
    scripted_model& otherwise(scripted_turn turn);

    /** What was asked so far, in the order of the calls. */
    [[nodiscard]] std::vector<chat_request> requests() const;
    /** How many turns are left. */
    [[nodiscard]] std::size_t left() const;
    /** @par Errors   `std::logic_error` that names each turn that is left, each request that no turn was for (with its
     *                last message), and each expectation that failed. */
    void assert_complete() const;

    [[nodiscard]] std::string_view label() const noexcept override { return label_; }

private:
    struct script;
    [[nodiscard]] task<chat_reply> do_reply(chat_request request, chat_sink& sink) override;

    std::string label_;
    std::shared_ptr<script> script_;
};

}  // namespace weft::testing
