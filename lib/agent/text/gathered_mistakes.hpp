#pragma once

#include <weft/graph/spec/spec_mistake.hpp>

#include <cstddef>
#include <string>
#include <utility>

namespace weft::agent_detail {

/** Gathers what is wrong into one text, for an error that tells all of it at once. */
class gathered_mistakes final : public spec_mistakes {
public:
    void add(const json_path& at, std::string text) override
    {
        text_ += (text_.empty() ? "" : "; ") + at.text() + ": " + std::move(text);
        ++count_;
    }
    void add_at_name(const json_path& at, std::string text) override { add(at, std::move(text)); }
    [[nodiscard]] std::size_t count() const noexcept override { return count_; }
    [[nodiscard]] const std::string& text() const noexcept { return text_; }

private:
    std::string text_;
    std::size_t count_ = 0;
};

}  // namespace weft::agent_detail
