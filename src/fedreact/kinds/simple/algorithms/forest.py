"""Random forest on summary features.

Breiman 2001, "Random forests", Machine Learning 45:5-32.
"""

from dataclasses import dataclass

import numpy as np

from fedreact.kinds.simple.contract import Algorithm, Predictor
from fedreact.options import Count
from fedreact.task import Task


@dataclass(frozen=True)
class Forest(Algorithm):
    """Trees on drawn samples and features.

    Attributes
    ----------
    trees
        Number of trees.
    leaf
        Samples of the smallest leaf.
    """

    trees: Count = 100
    leaf: Count = 1

    def fit(self, X: np.ndarray, Y: np.ndarray, task: Task, random_state: int) -> Predictor:
        """Fit by scikit-learn's forests, on one core: classifier for one label, else regressor.

        A split looks at the root of the number of features, in a regression at a third of them.
        """
        from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor

        same = {
            "n_estimators": self.trees,
            "min_samples_leaf": self.leaf,
            "random_state": random_state,
            "n_jobs": 1,
        }
        if task.kind == "classification":
            model = RandomForestClassifier(max_features="sqrt", **same).fit(X, Y.argmax(1))

            def scores(features: np.ndarray) -> np.ndarray:
                outputs = np.zeros((len(features), Y.shape[1]))
                outputs[:, model.classes_] = model.predict_proba(features)
                return outputs

            return scores
        share = "sqrt" if task.kind == "multi-label" else 1 / 3
        forest = RandomForestRegressor(max_features=share, **same)
        forest.fit(X, Y if Y.shape[1] > 1 else Y[:, 0])
        return lambda features: forest.predict(features).reshape(len(features), -1)


ALGORITHM = Forest
