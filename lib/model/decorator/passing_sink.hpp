#pragma once

#include <weft/model/chat_sink.hpp>

#include <string>

namespace weft::model_detail {

/** Hands the deltas of one or several attempts to the caller's sink and knows whether the caller has seen any.
 *
 *  The start of a reply is reported together with its first delta, so that no watcher hears of an attempt that fails
 *  before.
 */
class passing_sink : public chat_sink {
public:
    explicit passing_sink(chat_sink& target) noexcept : target_{target} {}
    passing_sink(const passing_sink&) = delete;
    passing_sink& operator=(const passing_sink&) = delete;

    void on_started(std::string_view id, std::string_view model) override;
    void on_text(std::string_view piece) override;
    void on_reasoning(std::string_view piece) override;
    void on_refusal(std::string_view piece) override;
    void on_tool_call(std::size_t slot, std::string_view id, std::string_view name) override;
    void on_tool_arguments(std::size_t slot, std::string_view piece) override;
    void on_usage(const usage& so_far) override;
    void on_retracted() override;
    [[nodiscard]] bool is_full() const noexcept override { return target_.is_full(); }
    [[nodiscard]] task<> wait_for_room() override;

    /** Whether the caller has seen some of the reply. */
    [[nodiscard]] bool has_passed() const noexcept { return has_passed_; }
    /** Whether the caller's sink threw: then the error of the call is its, and no failure of the model. */
    [[nodiscard]] bool has_thrown() const noexcept { return has_thrown_; }

    /** Another attempt begins. @param spent   By the attempts before; joins all reports from now on. */
    void begin_again(const usage& spent);
    /** The reply is whole: tells of its beginning if it had no deltas. */
    void finish();

protected:
    /** Asked before each delta. @return False to swallow it; an exception ends the call. */
    virtual bool may_pass(std::string_view /*piece*/) { return true; }

private:
    template <class Deliver>
    void pass(std::string_view piece, Deliver deliver);
    template <class Deliver>
    void guard(Deliver deliver);
    void tell_of_beginning();

    chat_sink& target_;
    std::string id_;
    std::string model_;
    usage spent_;
    bool is_begun_ = false;
    bool has_passed_ = false;
    bool has_thrown_ = false;
};

}  // namespace weft::model_detail
