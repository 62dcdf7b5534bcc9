#pragma once

#include <weft/agent/guard/guardrail.hpp>
#include <weft/async/sleep.hpp>
#include <weft/model/chat_sink.hpp>
#include <weft/testing/scripted_model.hpp>
#include <weft/testing/simulation.hpp>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace weft {

// For the messages of BOOST_TEST.
inline std::ostream& operator<<(std::ostream& out, guard_stage stage) { return out << name_of(stage); }

}  // namespace weft

namespace weft_tests {

/** What guardrails of a test were shown: `name: text`. */
using seen_texts = std::shared_ptr<std::vector<std::string>>;

inline weft::task<weft::guard_verdict> say_later(std::chrono::nanoseconds span, weft::guard_verdict verdict)
{
    co_await weft::sleep_for(span);
    co_return verdict;
}

/** A guardrail that takes a while. */
[[nodiscard]] inline weft::guardrail guard_that(std::string name, std::chrono::nanoseconds span,
                                                weft::guard_verdict verdict, seen_texts seen = nullptr)
{
    auto check = [=](weft::guard_subject subject) {
        if (seen) seen->push_back(name + ": " + subject.text);
        return say_later(span, verdict);
    };
    return weft::make_guardrail(name, check);
}

/** A guardrail that comes first, takes no time and trips on texts with a word. */
[[nodiscard]] inline weft::guardrail no_word(std::string name, std::string word)
{
    const auto check = [word](const weft::guard_subject& subject) {
        const bool has_word = (subject.before + subject.text).find(word) != std::string::npos;
        return has_word ? weft::guard_verdict::trip("has " + word) : weft::guard_verdict::pass();
    };
    return weft::make_guardrail(std::move(name), check, weft::guard_timing::first);
}

/** A guardrail that replaces a word by stars. */
[[nodiscard]] inline weft::guardrail masks(std::string word)
{
    const auto check = [word](const weft::guard_subject& subject) {
        std::string text = subject.text;
        const std::size_t at = text.find(word);
        if (at == std::string::npos) return weft::guard_verdict::pass();
        return weft::guard_verdict::replace(text.replace(at, word.size(), "***"));
    };
    return weft::make_guardrail("mask", check, weft::guard_timing::first);
}

/** Writes down what it hears, and when: `text@ms`. */
class noting_sink final : public weft::chat_sink {
public:
    explicit noting_sink(const weft::testing::simulation* sim = nullptr) : sim_{sim} {}

    void on_started(std::string_view, std::string_view) override { note("start"); }
    void on_text(std::string_view piece) override { note("'" + std::string{piece} + "'"); }
    void on_tool_call(std::size_t, std::string_view, std::string_view name) override
    {
        note("call " + std::string{name});
    }
    void on_retracted() override { note("retract"); }

    std::string heard;

private:
    void note(const std::string& what)
    {
        heard.append(heard.empty() ? "" : " ").append(what);
        using std::chrono::milliseconds;
        if (sim_) heard += "@" + std::to_string(std::chrono::duration_cast<milliseconds>(sim_->elapsed()).count());
    }

    const weft::testing::simulation* sim_;
};

}  // namespace weft_tests
