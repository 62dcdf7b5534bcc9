#include <weft/agent/node/recovering_model.hpp>

#include <weft/model/decorator/fallback_model.hpp>
#include <weft/model/decorator/retrying_model.hpp>

#include <utility>
#include <vector>

namespace weft {

std::shared_ptr<chat_model> with_recovery(std::shared_ptr<chat_model> primary, std::shared_ptr<chat_model> secondary,
                                          recovery_observer on_recovery)
{
    retrying_model_options once_more;
    once_more.policy.attempts_max = 2;
    auto first = std::make_shared<retrying_model>(primary, std::move(once_more));
    if (!secondary || secondary->label() == primary->label()) return first;
    fallback_model_options options;
    if (on_recovery)
        options.on_fall_back = [tell = std::move(on_recovery), primary, secondary](const chat_model&,
                                                                                    const model_failure& why) {
            tell(*primary, *secondary, why);
        };
    std::vector<fallback_entry> entries(2);
    entries[0].model = std::move(first);
    entries[1].model = std::move(secondary);
    return std::make_shared<fallback_model>(std::move(entries), std::move(options));
}

}  // namespace weft
