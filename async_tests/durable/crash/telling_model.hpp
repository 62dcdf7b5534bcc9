#pragma once

#include "durable/ledger.hpp"

#include <weft/model/chat_model.hpp>

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace weft_crash {

/** Calls its tools, in as many turns as it has, and then says something that depends on all that it was told.
 *
 *  A call is noted as `effect <thread> <name>.<what it was told> <key>`. */
class telling_model final : public weft::chat_model {
public:
    using notes_ptr = std::shared_ptr<const weft_tests::ledger>;
    /** Makes a reply of what is told. */
    using words_function = std::function<std::string(const weft::chat_request& request, const std::string& told)>;

    telling_model(std::string name, notes_ptr notes) : name_{std::move(name)}, notes_{std::move(notes)} {}
    /** @param tools   Those that are called in each turn; one turn more says something. */
    telling_model& calls(std::vector<std::vector<std::string>> tools)
    {
        tools_ = std::move(tools);
        return *this;
    }
    /** Without it a reply is what is told. */
    telling_model& says(words_function words)
    {
        words_ = std::move(words);
        return *this;
    }
    [[nodiscard]] std::string_view label() const noexcept override { return name_; }

private:
    [[nodiscard]] weft::task<weft::chat_reply> do_reply(weft::chat_request request, weft::chat_sink& sink) override;
    [[nodiscard]] weft::chat_reply reply_to(const weft::chat_request& request) const;

    std::string name_;
    notes_ptr notes_;
    std::vector<std::vector<std::string>> tools_;
    words_function words_;
};

/** What stands in texts for the thread: it goes everywhere, and nowhere into what is compared. */
[[nodiscard]] std::string thread_mark(const std::string& thread);
/** A text without its marks. */
[[nodiscard]] std::string without_marks(std::string text);

}  // namespace weft_crash
