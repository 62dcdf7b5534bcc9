#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace weft_cli {

/** What `GET /metrics` of one process, or of several, said at a moment: values by name and labels. */
class metric_reading {
public:
    using label_map = std::map<std::string, std::string, std::less<>>;
    struct sample {
        std::string name;
        label_map labels;
        double value = 0;
    };

    /** Reads the text format of Prometheus; what it does not understand is left out. */
    [[nodiscard]] static metric_reading of(std::string_view text);

    /** Joins what another process said: its values are added, but for those that all of them read in one store, of
     *  which the larger counts. */
    void join(const metric_reading& other);

    /** The sum of the values of this name with all of these labels. */
    [[nodiscard]] double sum(std::string_view name, const label_map& with = {}) const;
    /** The largest of them; 0 if there is none. */
    [[nodiscard]] double max(std::string_view name, const label_map& with = {}) const;
    /** Those of this name. */
    [[nodiscard]] std::vector<const sample*> all(std::string_view name) const;

private:
    std::vector<sample> samples_;
};

}  // namespace weft_cli
