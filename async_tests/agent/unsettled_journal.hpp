#pragma once

#include <weft/engine/memory_journal.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace weft_tests {

/** A journal as a process finds it that crashed before a visit was over. */
class unsettled_journal final : public weft::effect_journal {
public:
    [[nodiscard]] std::string_view scope() const noexcept override { return kept.scope(); }
    weft::task<std::optional<weft::effect_record>> find(std::string address) override
    {
        return kept.find(std::move(address));
    }
    weft::task<void> record(weft::effect_record effect) override { return kept.record(std::move(effect)); }
    weft::task<weft::question_record> ask(weft::question_record question) override
    {
        return kept.ask(std::move(question));
    }
    weft::task<weft::answer_state> answer(std::string address, std::string text) override
    {
        return kept.answer(std::move(address), std::move(text));
    }
    void settle(std::string_view) override {}

    weft::memory_journal kept{"tenant/thread/run"};
};

}  // namespace weft_tests
